/**
 * Regular expressions of users, matched by re2js in time that grows linearly with the text. JavaScript's own can take
 * exponential time (CWE-1333). RE2 has no back-references and no look-ahead; patterns with them are rejected. See
 * docs/decisions/0012-user-patterns.md.
 */

const MAX_PATTERN = 255;
/** Largest number of instructions of a compiled pattern: each costs time for every character of every name. */
const MAX_PROGRAM = 300;

export type TextTest = (text: string) => boolean;

/** A test whether the pattern matches a part of a text; undefined when the pattern is invalid or too large. */
export async function parsePattern(pattern: string): Promise<TextTest | undefined> {
  if (pattern.length > MAX_PATTERN) return undefined;
  // loaded for the first pattern: most conductors are never asked for one
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() > MAX_PROGRAM ? undefined : (text) => compiled.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
