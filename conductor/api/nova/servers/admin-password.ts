/**
 * Generates a password for a server whose user set none.
 */
import { randomInt } from 'node:crypto';

/** Nova's groups, without characters that look alike: each password has a character of each group. */
const GROUPS = ['23456789', 'ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz'];
const LENGTH = 12;

const pick = (from: string): string => from.charAt(randomInt(from.length));

export function generatePassword(): string {
  const all = GROUPS.join('');
  const letters = [...GROUPS.map(pick), ...Array.from({ length: LENGTH - GROUPS.length }, () => pick(all))];
  for (let last = LENGTH - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [letters[last], letters[other]] = [letters[other]!, letters[last]!];
  }
  return letters.join('');
}
