/**
 * The children that do the heavy work, so that the event loop stays free: qemu-img on a local file of
 * a format we named, zstd, and sha256sum. Each has a deadline, yields to the conductor, and dies with it;
 * qemu-img, which reads what strangers made, has limits on memory, CPU and output as well.
 */
import { IngotError } from '../domain/errors.ts';

const LIMIT_MS = 4 * 3_600_000;
const QEMU_MEMORY_BYTES = 2 * 1024 ** 3;
const QEMU_CPU_SECONDS = 4 * 3_600;
/** Fast enough to keep up with a disk, small enough to spare the network. */
const ZSTD_LEVEL = 3;
/** Of env, nice, prlimit and setpriv: what they were to start is not there. */
const NOT_FOUND = 127;

/**
 * setpriv, prlimit and nice each become the next program and are one process: the kernel kills it when
 * the conductor is gone, even by SIGKILL.
 */
async function child(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  limits: readonly string[] = [],
): Promise<string> {
  const wrapping = ['--pdeathsig', 'KILL', 'prlimit', '--core=0', ...limits, 'nice', '-n', '5'];
  // Loaded when the first image needs it: nothing at the start does.
  const { execa } = await import('execa');
  const done = await execa('setpriv', [...wrapping, program, ...args], {
    reject: false,
    timeout: LIMIT_MS,
    cancelSignal: signal,
    stdin: 'ignore',
    env: { LC_ALL: 'C' },
  });
  if (!done.failed) return done.stdout;
  signal.throwIfAborted();
  throw new IngotError('imageFailure', `preparing the image failed in ${program}: ${reason(done, program)}`);
}

interface Ending {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly code?: string | undefined;
  readonly stderr: string;
  readonly shortMessage?: string | undefined;
}

function reason(done: Ending, program: string): string {
  if (done.code === 'ENOENT') return 'the program setpriv (Debian package util-linux) is not installed';
  if (done.exitCode === NOT_FOUND) return `the program ${program} is not installed`;
  if (done.timedOut) return `it was not done within ${LIMIT_MS / 3_600_000} h`;
  if (done.signal === 'SIGXFSZ' || /File too large/.test(done.stderr))
    return 'it wanted to write more than the size the image says it has; the image is damaged or hostile';
  if (/No space left on device/.test(done.stderr))
    return "the conductor's disk is full. To try: free some space under its data_dir, or lower images.cache_gib";
  return done.stderr.slice(-500) || done.shortMessage || 'it gave no reason';
}

/** The source format is named, so that qemu-img never looks for itself. `virtualSize` in bytes is all it may write. */
export async function convertToRaw(
  qcow2: string,
  raw: string,
  virtualSize: number,
  signal: AbortSignal,
): Promise<void> {
  const limits = [
    `--as=${QEMU_MEMORY_BYTES}`,
    `--cpu=${QEMU_CPU_SECONDS}`,
    `--fsize=${Math.ceil(virtualSize / 512) * 512}`,
  ];
  const args = ['convert', '-f', 'qcow2', '-O', 'raw', '-t', 'writeback', qcow2, raw];
  await child('qemu-img', args, signal, limits);
}

export async function compress(raw: string, target: string, signal: AbortSignal): Promise<void> {
  await child('zstd', ['-q', '-f', `-${ZSTD_LEVEL}`, '-T0', raw, '-o', target], signal);
}

export async function sha256(path: string, signal: AbortSignal): Promise<string> {
  const line = await child('sha256sum', ['-b', path], signal);
  const digest = /^\\?([0-9a-f]{64}) /.exec(line)?.[1];
  if (digest === undefined) throw new IngotError('imageFailure', 'sha256sum gave no digest');
  return digest;
}
