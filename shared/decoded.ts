/**
 * The result of a decoder: the record, or the reason why the input is invalid. Decoders never throw on input from the
 * wire.
 */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const good = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const bad = (reason: string): { readonly ok: false; readonly reason: string } => ({
  ok: false,
  reason,
});
