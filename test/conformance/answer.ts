/**
 * A server's answer in which values that differ between two correct runs (ids, times) are replaced by names.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The chosen fields of the resource after it has settled. */
  readonly settled?: JsonObject;
}

/** A normalised answer, which can be compared and recorded. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for an empty body. The inner JSON of an error body is under `error`; `wrapping` says how it was wrapped. */
  readonly body?: Json;
  readonly error?: Json;
  readonly wrapping?: string;
  readonly settled?: Json;
}

/** Value of this run -> its name. */
export interface Names {
  readonly baseUrl: string;
  /** Bound value -> `{name}`. */
  readonly bound: ReadonlyMap<string, string>;
  /** UUIDs that the requests themselves contain. */
  readonly literal: ReadonlySet<string>;
}

const HEADERS = [
  'location',
  'openstack-request-id',
  'x-openstack-ironic-api-minimum-version',
  'x-openstack-ironic-api-maximum-version',
  'x-openstack-ironic-api-version',
] as const;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?/g;
/** Lists that are sets: clients ignore their order, and Ironic's order changes from run to run. */
const SETS = /^(enabled_\w+_interfaces|drivers|traits|hosts)$/;
/** Shorter bound values might occur in a text by chance. */
const MIN_BOUND_LENGTH = 8;

export function normaliseText(text: string, names: Names): string {
  let out = text.replaceAll(names.baseUrl, '{base}').replace(/req-[0-9a-f-]{36}/g, '<request-id>');
  for (const [value, name] of names.bound) {
    if (value.length >= MIN_BOUND_LENGTH) out = out.replaceAll(value, name);
  }
  return out
    .replace(UUID, (uuid) => (names.literal.has(uuid) ? uuid : '<uuid>'))
    .replace(TIME, '<time>')
    .replace(/0x[0-9a-f]{8,}/g, '<address>');
}

export function normaliseJson(value: Json, names: Names): Json {
  if (typeof value === 'string') return normaliseText(value, names);
  if (Array.isArray(value)) return value.map((item: Json) => normaliseJson(item, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const normal = normaliseJson(item, names);
      return [normaliseText(key, names), SETS.test(key) && Array.isArray(normal) ? sorted(normal) : normal];
    }),
  );
}

const sorted = (list: readonly Json[]): Json[] => list.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
const sortKey = (item: Json): string => JSON.stringify(isObject(item) ? (item['name'] ?? item) : item);

export function normaliseAnswer(raw: RawAnswer, names: Names): Answer {
  return {
    status: raw.status,
    headers: normaliseHeaders(raw.headers, names),
    ...normaliseBody(raw, names),
    ...(raw.settled === undefined ? {} : { settled: normaliseJson(raw.settled, names) }),
  };
}

function normaliseHeaders(headers: Headers, names: Names): Record<string, string> {
  const out: Record<string, string> = {};
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim();
  if (type !== undefined) out['content-type'] = type;
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value !== null) out[name] = normaliseText(value, names);
  }
  return out;
}

function normaliseBody({ status, text }: RawAnswer, names: Names): Partial<Answer> {
  if (text === '') return {};
  const body = parsed(text);
  if (body === undefined) return { body: normaliseText(text, names), wrapping: 'text' };
  if (status < 400) return { body: normaliseJson(body, names) };
  const message = isObject(body) ? body['error_message'] : undefined;
  if (message === undefined) return { error: normaliseJson(body, names), wrapping: 'none' };
  const inner = typeof message === 'string' ? parsed(message) : message;
  const wrapping = typeof message === 'string' && inner !== undefined ? 'string of JSON' : typeof message;
  return { error: normaliseJson(inner ?? message, names), wrapping };
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** All UUIDs in a text. */
export const uuidsIn = (text: string): ReadonlySet<string> => new Set(text.match(UUID) ?? []);
