/**
 * One change at a random place inside of a JSON value.
 */

export type Change = 'replace' | 'remove' | 'add';

/** A copy in which one value was replaced or removed, or an unknown key was added. */
export function mutated(value: unknown, place: number, how: Change, hostile: unknown, name: string): unknown {
  const places = placesIn(value);
  const target = places[place % places.length] ?? [];
  return changed(value, target, how, hostile, name);
}

/** Every place inside of the value; the value itself comes first. */
export function placesIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
}

/** A copy that differs at the place: a replaced or removed value, or an additional key `name`. */
export function changed(
  value: unknown,
  [key, ...rest]: readonly string[],
  how: Change,
  hostile: unknown,
  name: string,
): unknown {
  const isHolder = typeof value === 'object' && value !== null;
  if (key === undefined) {
    return how === 'add' && isHolder && !Array.isArray(value) ? { ...value, [name]: hostile } : hostile;
  }
  if (!isHolder) return hostile;
  const inner = changed((value as Record<string, unknown>)[key], rest, how, hostile, name);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? inner : item));
  if (how === 'remove' && rest.length === 0) {
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  }
  return { ...value, [key]: inner };
}
