/**
 * Regular expressions of users, matched by re2js in time that grows with the text and never exponentially: those of
 * JavaScript can be made to take years (CWE-1333). RE2 has no back-references and no look-ahead; patterns with them
 * are refused. See docs/decisions/0012-user-patterns.md.
 */

const MAX_PATTERN = 255;
/** Instructions of the compiled pattern: each costs time for every character of every name it is tried on. */
const MAX_PROGRAM = 300;

export type TextTest = (text: string) => boolean;

/** Whether a text has a part that the pattern matches; undefined when the pattern is not valid or too large. */
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
