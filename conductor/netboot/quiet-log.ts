/**
 * Warnings about what the network sends: the first of a kind at once, then one a minute with their number,
 * so that nobody can fill the log.
 */
const PAUSE_MS = 60_000;

export type Warn = (fields: object, text: string) => void;

/** `text` is the kind; the fields of those passed over are lost. */
export function createQuietWarn(warn: Warn, now: () => Date): Warn {
  const kinds = new Map<string, { since: number; passedOver: number }>();
  return (fields, text) => {
    const at = now().getTime();
    const kind = kinds.get(text);
    if (kind !== undefined && at - kind.since < PAUSE_MS) {
      kind.passedOver += 1;
      return;
    }
    kinds.set(text, { since: at, passedOver: 0 });
    const more = kind?.passedOver ?? 0;
    warn(more === 0 ? fields : { ...fields, moreSinceLast: more }, text);
  };
}
