/** snake_case on the wire, camelCase inside. */
export const camelCase = (wire: string): string =>
  wire.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
