/**
 * Which images were refused, on disk: <dir>/<sha256 of the image's key>, one small file each.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Nobody has to look after old verdicts; a newer version of the conductor may come to another one. */
const KEPT_MS = 24 * 3_600_000;
const MAX_FILES = 1_000;

interface Verdict {
  readonly reason: string;
  readonly atMs: number;
}

export interface Refusals {
  /** Why the image is not tried; undefined if it may be. */
  reasonFor(key: string): Promise<string | undefined>;
  remember(key: string, reason: string): Promise<void>;
}

export function openRefusals(dir: string, now: () => number = Date.now): Refusals {
  const at = (key: string): string => join(dir, createHash('sha256').update(key).digest('hex'));

  /** Makes room by removing the oldest files. */
  async function limit(): Promise<void> {
    const names = await readdir(dir);
    if (names.length <= MAX_FILES) return;
    const aged = await Promise.all(
      names.map(async (name) => ({
        name,
        ms: (await stat(join(dir, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    const oldest = aged.sort((a, b) => a.ms - b.ms).slice(0, names.length - MAX_FILES);
    for (const { name } of oldest) await rm(join(dir, name), { force: true });
  }

  return {
    async reasonFor(key) {
      try {
        const { reason, atMs } = JSON.parse(await readFile(at(key), 'utf8')) as Verdict;
        return now() - atMs < KEPT_MS ? reason : undefined;
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
          return undefined;
        throw error;
      }
    },
    async remember(key, reason) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const draft = join(dir, `.${randomUUID()}`);
      await writeFile(draft, JSON.stringify({ reason, atMs: now() } satisfies Verdict), { mode: 0o600 });
      await rename(draft, at(key));
      await limit();
    },
  };
}
