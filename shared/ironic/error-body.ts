/**
 * Error bodies: `error_message` is a string that holds JSON, in one of two shapes.
 *
 *   an error of the application   {"faultcode": "Client" | "Server", "faultstring": text, "debuginfo": null}
 *   an error of the router        {"code": 404, "title": "Not Found", "description": text}   (404, 405, 406)
 */
export interface ErrorBody {
  readonly error_message: string;
}

export function applicationError(status: number, text: string): ErrorBody {
  const faultcode = status >= 500 ? 'Server' : 'Client';
  return { error_message: JSON.stringify({ faultcode, faultstring: text, debuginfo: null }) };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
};

export function routerError(status: number, description = ''): ErrorBody {
  return { error_message: JSON.stringify({ code: status, title: TITLES[status] ?? 'Error', description }) };
}

/** The text in an error body of either shape; undefined when there is none. */
export function errorText(body: unknown): string | undefined {
  const outer = member(body, 'error_message') ?? body;
  const inner = typeof outer === 'string' ? parsed(outer) : outer;
  const text = member(inner, 'faultstring') ?? member(inner, 'description') ?? member(inner, 'title');
  return typeof text === 'string' && text !== '' ? text : stringOr(member(inner, 'title'), outer);
}

const stringOr = (first: unknown, second: unknown): string | undefined =>
  [first, second].find((value) => typeof value === 'string' && value !== '') as string | undefined;

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
