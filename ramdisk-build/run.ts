/**
 * Programs the build runs: argument arrays, a deadline, and what they printed in the error.
 */
import { execa } from 'execa';

export interface RunOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Standard output. Throws with the command and the end of its error output. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const done = await execa(file, args, {
    reject: false,
    timeout: options.timeoutMs ?? 600_000,
    maxBuffer: 64 * 1024 * 1024,
    stripFinalNewline: false,
    env: { LC_ALL: 'C' },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  if (!done.failed) return done.stdout;
  throw new Error(
    `${file} ${args.slice(0, 6).join(' ')} failed: ${done.stderr.slice(-2000) || done.shortMessage}`,
  );
}
