/**
 * URLs without their secrets. User info and query of a URL may contain passwords and signatures, so answers, logs,
 * history and errors show MASK in their place. Pure.
 */
import { MASK } from './mask.ts';

/** The URL with MASK in place of its user info and query. A text that is no URL, or has neither, is unchanged. */
export function redactedUrl(text: string): string {
  if (!/[@?]/.test(text)) return text;
  const url = URL.parse(text);
  if (url === null) return /^\s*[a-z][a-z0-9+.-]*:[/\\]{2}/i.test(text) ? redactedPart(text) : text;
  const { protocol, username, password, host, pathname, search, href } = url;
  if (username === '' && password === '' && search === '') return text;
  const user = username === '' && password === '' ? '' : `${MASK}@`;
  // `mailto:` and the like have no authority.
  const slashes = href.startsWith(`${protocol}//`) ? '//' : '';
  return `${protocol}${slashes}${user}${host}${pathname}${search === '' ? '' : `?${MASK}`}`;
}

/** Whether a text is a URL that `redactedUrl` has changed. */
export const isRedactedUrl = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) &&
  (text.includes(`//${MASK}@`) || text.endsWith(`?${MASK}`)) &&
  redactedUrl(text) === text;

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,31}:[/\\]{2}[^\s"'<>`|]+/gi;

/** A text of any origin with the URLs in it redacted. */
export const redactedText = (text: string): string =>
  /:[/\\]{2}/.test(text) ? text.replace(URL_IN_TEXT, redactedPart) : text;

/** For what looks like a URL in a text. It may be cut, or be followed by a comma. */
function redactedPart(part: string): string {
  const [, start = '', authority = '', path = '', query] =
    /^([^:]*:[/\\]{2})([^/?#\\]*)([^?#]*)(\?[^#]+)?/.exec(part) ?? [];
  const user = authority.lastIndexOf('@');
  const host = user < 0 ? authority : `${MASK}@${authority.slice(user + 1)}`;
  const end = query === undefined ? '' : `?${MASK}${part.slice(endOfUrl(part))}`;
  const rest = query === undefined ? part.slice(start.length + authority.length + path.length) : '';
  return start + host + path + end + rest;
}

/** Where punctuation of the sentence begins. */
function endOfUrl(part: string): number {
  let end = part.length;
  while (end > 0 && '.,;:!)]}'.includes(part[end - 1] ?? ' ')) end -= 1;
  return end;
}
