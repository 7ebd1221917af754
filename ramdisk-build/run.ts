/**
 * Runs programs with an argument array and a time limit. An error contains what the program printed.
 */
import { execa } from 'execa';

export interface RunOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program that failed. `message` has the command and the end of its error output. */
export class ProgramFailure extends Error {
  readonly stderr: string;
  /** ENOSPC if the program reported that the disk is full. */
  readonly code: 'ENOSPC' | undefined;

  constructor(message: string, stderr: string) {
    super(message);
    this.name = 'ProgramFailure';
    this.stderr = stderr;
    this.code = stderr.includes('No space left on device') ? 'ENOSPC' : undefined;
  }
}

/** Returns the standard output. Throws ProgramFailure, or the signal's reason if it ended the program. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  options.signal?.throwIfAborted();
  const done = await execa(file, args, {
    reject: false,
    timeout: options.timeoutMs ?? 600_000,
    maxBuffer: 64 * 1024 * 1024,
    stripFinalNewline: false,
    env: { LC_ALL: 'C', TZ: 'UTC', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  if (!done.failed) return done.stdout;
  options.signal?.throwIfAborted();
  throw new ProgramFailure(
    `${file} ${args.slice(0, 6).join(' ')} failed: ${done.stderr.slice(-2000) || done.shortMessage}`,
    done.stderr,
  );
}
