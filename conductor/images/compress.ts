/**
 * Runs zstd and sha256sum as child processes, which keeps the event loop free. Each has a time limit and a lower
 * priority than the conductor, and ends with it. They read raw bytes, whatever these are.
 */
import { IngotError } from '../domain/errors.ts';
import { childEnvironment } from './child-environment.ts';

const LIMIT_MS = 4 * 3_600_000;
/** A compromise: fast enough to keep up with a disk, with a good compression ratio. */
const ZSTD_LEVEL = 3;
/** Exit code of env, nice, prlimit and setpriv if the program to start does not exist. */
const NOT_FOUND = 127;

/**
 * setpriv, prlimit and nice each exec the next program, so all of them are one process. The kernel kills it when the
 * conductor ends, even by SIGKILL.
 */
async function child(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const wrapping = ['--pdeathsig', 'KILL', 'prlimit', '--core=0', 'nice', '-n', '5'];
  // Loaded with the first image, to keep the start fast.
  const { execa } = await import('execa');
  const done = await execa('setpriv', [...wrapping, program, ...args], {
    reject: false,
    timeout: LIMIT_MS,
    cancelSignal: signal,
    stdin: 'ignore',
    ...childEnvironment(),
  });
  if (!done.failed) return done.stdout;
  signal.throwIfAborted();
  throw new IngotError('imageFailure', `preparing the image failed in ${program}: ${reason(done, program)}`);
}

interface Ending {
  readonly exitCode?: number | undefined;
  readonly timedOut: boolean;
  readonly code?: string | undefined;
  readonly stderr: string;
  readonly shortMessage?: string | undefined;
}

function reason(done: Ending, program: string): string {
  if (done.code === 'ENOENT') return 'the program setpriv (Debian package util-linux) is not installed';
  if (done.exitCode === NOT_FOUND) return `the program ${program} is not installed`;
  if (done.timedOut) return `it did not finish within ${LIMIT_MS / 3_600_000} h`;
  if (/No space left on device/.test(done.stderr))
    return "the conductor's disk is full. To try: free some space under its data_dir, or lower images.cache_gib";
  return done.stderr.slice(-500) || done.shortMessage || 'it gave no reason';
}

export async function compress(raw: string, target: string, signal: AbortSignal): Promise<void> {
  await child('zstd', ['-q', '-f', `-${ZSTD_LEVEL}`, '-T0', raw, '-o', target], signal);
}

export async function sha256(path: string, signal: AbortSignal): Promise<string> {
  const line = await child('sha256sum', ['-b', path], signal);
  const digest = /^\\?([0-9a-f]{64}) /.exec(line)?.[1];
  if (digest === undefined) throw new IngotError('imageFailure', 'sha256sum printed no digest');
  return digest;
}
