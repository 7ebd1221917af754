/**
 * The limit and the order in a list request. Each API has its own errors.
 */
import type { Direction } from './sorting.ts';

/** The size of a page: `max` if the request has no limit, and never more. */
export const pageSize = (asked: number | undefined, max: number): number => Math.min(asked ?? max, max);

/** Parses a limit: a whole number, 0 or more. */
export function readLimit(text: string | undefined, refused: (text: string) => Error): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw refused(text);
  return Number(text);
}

export interface SortRules {
  /** Names that the list can be sorted by. */
  isKey(name: string): boolean;
  /** Default direction. */
  readonly direction: Direction;
  /** A single direction applies to all keys. Otherwise a request has one for each key, or none. */
  readonly sharesDirection?: true;
  /** The errors of the API. */
  readonly refused: {
    keys(names: readonly string[]): Error;
    direction(word: string): Error;
    /** The number of directions is not the number of keys. Not needed if there is always one key. */
    count?(): Error;
  };
}

export interface SortPair {
  readonly name: string;
  readonly direction: Direction;
}

/** The pairs of `sort_key=a&sort_dir=asc&sort_key=b&sort_dir=desc`. Throws the errors of the rules. */
export function readSort(
  names: readonly string[],
  directions: readonly string[],
  { isKey, direction, sharesDirection, refused }: SortRules,
): readonly SortPair[] {
  const areFree = directions.length === 0 || (directions.length === 1 && sharesDirection);
  if (!areFree && directions.length !== names.length && refused.count !== undefined) throw refused.count();
  const unknown = names.filter((name) => !isKey(name));
  if (unknown.length > 0) throw refused.keys(unknown);
  const wrong = directions.find((word) => !isDirection(word));
  if (wrong !== undefined) throw refused.direction(wrong);
  const words = directions as readonly Direction[];
  return names.map((name, index) => ({ name, direction: words[index] ?? words[0] ?? direction }));
}

const isDirection = (word: string): word is Direction => word === 'asc' || word === 'desc';
