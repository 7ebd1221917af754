/**
 * What a parser gives back: a value, or why the text has none.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const bad = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });
