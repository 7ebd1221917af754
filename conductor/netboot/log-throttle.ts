/**
 * Limits warnings about network input, so that nobody can fill the log. The first warning of a kind is logged at
 * once, then one a minute with the number of omitted ones.
 */
const PAUSE_MS = 60_000;

export type Warn = (fields: object, text: string) => void;

/** `text` is the kind. The fields of omitted warnings are lost. */
export function throttleWarnings(warn: Warn, now: () => Date): Warn {
  const kinds = new Map<string, { since: number; leftOut: number }>();
  return (fields, text) => {
    const at = now().getTime();
    const kind = kinds.get(text);
    if (kind !== undefined && at - kind.since < PAUSE_MS) {
      kind.leftOut += 1;
      return;
    }
    kinds.set(text, { since: at, leftOut: 0 });
    const more = kind?.leftOut ?? 0;
    warn(more === 0 ? fields : { ...fields, moreSinceLast: more }, text);
  };
}
