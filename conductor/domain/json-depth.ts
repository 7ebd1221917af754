/**
 * Checks how deep a value is nested.
 */

/** Of a request body, and of a field after a patch. */
export const MAX_JSON_DEPTH = 25;

/** Goes level by level and not by recursion, so that a deep value can not overflow the stack. */
export function depthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= limit) return true;
      for (const child of Object.values(item))
        if (typeof child === 'object' && child !== null) inner.push(child);
    }
    level = inner;
  }
  return false;
}
