/**
 * The serial console of a machine, read from its log file. Firmware redraws the screen in small pieces, so escape
 * sequences are removed before a search.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Console {
  readonly path: string;
  /** The whole output so far, without escape sequences. */
  text(): Promise<string>;
  /** Waits for a match in the text after offset `from`. Throws with the last lines. */
  waitFor(
    pattern: RegExp,
    options: { timeoutMs: number; from?: number; signal?: AbortSignal },
  ): Promise<RegExpExecArray>;
  lastLines(count: number): Promise<string>;
}

const POLL_MS = 250;

export function plainText(raw: string): string {
  return raw
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|\u001b[()][A-Z0-9]|\u001b[=>c]/g, '')
    .replace(/\r+\n/g, '\n')
    .replace(/\r/g, '\n');
}

export function createConsole(path: string): Console {
  const text = async (): Promise<string> => plainText(await readFile(path, 'latin1').catch(() => ''));
  const lastLines = async (count: number): Promise<string> =>
    (await text())
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-count)
      .join('\n');
  return {
    path,
    text,
    lastLines,
    async waitFor(pattern, { timeoutMs, from = 0, signal }) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const match = pattern.exec((await text()).slice(from));
        if (match) return match;
        if (Date.now() > deadline) {
          throw new Error(
            `the console did not show ${pattern} within ${timeoutMs / 1000} s; its last lines:\n${await lastLines(15)}`,
          );
        }
        await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
      }
    },
  };
}
