/**
 * The result of a parser: a value, or the reason why the text is invalid.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const bad = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });
