/**
 * Recorded conversations with the real counterparts: what they sent and answered, with placeholders for what differs
 * from run to run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const RECORDED = fileURLToPath(new URL('recorded', import.meta.url));

export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, if it is JSON. */
  readonly body: unknown;
}

export interface Exchange {
  readonly request: RecordedRequest;
  readonly answer: { readonly status: number; readonly body: unknown };
}

/** One boot of the ramdisk. */
export interface Boot {
  /** What the agent asked the conductor. */
  readonly toConductor: readonly Exchange[];
  /** What the conductor asked the agent. */
  readonly toAgent: readonly Exchange[];
  /** The state of the node afterwards. */
  readonly end: string;
}

export interface Recording {
  readonly recordedFrom: {
    readonly program: string;
    readonly version: string;
    readonly commit: string;
    readonly how: string;
  };
  readonly boots: Readonly<Record<'inspect' | 'clean' | 'deploy', Boot>>;
}

/** Placeholder -> value. */
export type Values = Readonly<Record<'NODE' | 'MAC' | 'TOKEN' | 'CALLBACK', string>>;

/** Replaces values by placeholders, also where they are encoded for a URL. */
export function generalized<T>(value: T, values: Partial<Values>): T {
  let text = JSON.stringify(value);
  for (const [name, concrete] of Object.entries(values))
    for (const form of [concrete, encodeURIComponent(concrete)]) text = text.replaceAll(form, `{${name}}`);
  return JSON.parse(text);
}

/** Puts values in for placeholders. */
export function concrete<T>(value: T, values: Values): T {
  const text = JSON.stringify(value).replaceAll(
    /\{(NODE|MAC|TOKEN|CALLBACK)\}/g,
    (_, name: keyof Values) => values[name],
  );
  return JSON.parse(text);
}

export const recordings = (): Recording[] =>
  readdirSync(RECORDED)
    .toSorted()
    .map((name) => JSON.parse(readFileSync(`${RECORDED}/${name}`, 'utf8')));
