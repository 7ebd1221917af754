/** snake_case on the wire, camelCase in the code. */
export type CamelCase<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : S;

export const camelCase = (wire: string): string =>
  wire.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
