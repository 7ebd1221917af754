/**
 * Runs programs with an argument array and a time limit. An error contains what the program printed.
 */
import { execa } from 'execa';

/**
 * All that programs get of the caller's environment: where programs are, where apt-get finds a proxy, and where
 * temporary files go. The rest may contain passwords.
 */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'http_proxy', 'https_proxy', 'no_proxy'] as const;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const passedOn = (): Record<string, string> =>
  Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = process.env[name] ?? (name === 'PATH' ? DEFAULT_PATH : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );

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
    extendEnv: false,
    env: { ...passedOn(), LANG: 'C', LC_ALL: 'C', TZ: 'UTC', ...options.env },
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
