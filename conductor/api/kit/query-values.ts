/**
 * Queries in which a name may occur more than once.
 */
export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** All values of a name. */
export function valuesOf(query: QueryValues, name: string): readonly string[] {
  const value = query[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The query string with changed values, for the link to another page; null removes a name. */
export function changedQuery(query: QueryValues, changes: Readonly<Record<string, string | null>>): string {
  const params = new URLSearchParams();
  for (const name of Object.keys(query)) {
    if (Object.hasOwn(changes, name)) continue;
    for (const value of valuesOf(query, name)) params.append(name, value);
  }
  for (const [name, value] of Object.entries(changes)) if (value !== null) params.append(name, value);
  return params.toString();
}
