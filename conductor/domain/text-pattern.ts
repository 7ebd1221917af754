/**
 * Regular expressions of users, matched by re2js in time that grows linearly with the text. JavaScript's own can take
 * exponential time (CWE-1333). RE2 has no back-references and no look-ahead; patterns with them are rejected. See
 * docs/decisions/0012-user-patterns.md.
 */

export const MAX_PATTERN = 255;
/** Largest number of instructions of a compiled pattern: each costs time for every character of every name. */
const MAX_PROGRAM = 300;

export interface TextPattern {
  /** Whether it matches a part of the text. */
  finds(text: string): boolean;
  /** Whether it matches the whole text. */
  matches(text: string): boolean;
}

/** Undefined when the pattern is invalid or too large. */
export type PatternParser = (pattern: string) => TextPattern | undefined;

/** Loads the matcher: 14 ms the first time, so only those who have a pattern do it. */
export async function loadPatterns(): Promise<PatternParser> {
  const { RE2JS, RE2JSException } = await import('re2js');
  return (pattern) => {
    if (pattern.length > MAX_PATTERN) return undefined;
    try {
      const compiled = RE2JS.compile(pattern);
      if (compiled.programSize() > MAX_PROGRAM) return undefined;
      return {
        finds: (text) => compiled.matcher(text).find(),
        matches: (text) => compiled.matcher(text).matches(),
      };
    } catch (error) {
      if (error instanceof RE2JSException) return undefined;
      throw error;
    }
  };
}

export const parsePattern = async (pattern: string): Promise<TextPattern | undefined> =>
  (await loadPatterns())(pattern);
