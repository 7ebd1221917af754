/** What a decoder returns: the record, or why the bytes are not one. Decoders never throw on input from the wire. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export const good = <T>(value: T): Decoded<T> => ({ ok: true, value });
export const bad = (reason: string): { readonly ok: false; readonly reason: string } => ({
  ok: false,
  reason,
});

/** Reason for bytes that end too early. */
export const short = (what: string, needed: number, got: number) =>
  bad(`${what}: ${got} bytes, at least ${needed} needed`);
