/**
 * The children that do the heavy work, so that the event loop stays free: qemu-img on a local file of
 * a format we named, zstd, and sha256sum. Each has a deadline; qemu-img has limits on memory and CPU as well.
 */
import { execa } from 'execa';
import { IngotError } from '../domain/errors.ts';

const LIMIT_MS = 4 * 3_600_000;
const QEMU_MEMORY_BYTES = 2 * 1024 ** 3;
const QEMU_CPU_SECONDS = 4 * 3_600;
/** Fast enough to keep up with a disk, small enough to spare the network. */
const ZSTD_LEVEL = 3;

async function child(file: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const done = await execa(file, args, {
    reject: false,
    timeout: LIMIT_MS,
    cancelSignal: signal,
    stdin: 'ignore',
    env: { LC_ALL: 'C' },
  });
  if (!done.failed) return done.stdout;
  signal.throwIfAborted();
  const why =
    done.code === 'ENOENT'
      ? `the program ${file} is not installed`
      : done.stderr.slice(-500) || done.shortMessage;
  throw new IngotError(
    'imageFailure',
    `preparing the image failed in ${args.includes('qemu-img') ? 'qemu-img' : file}: ${why}`,
  );
}

/** The source format is named, so that qemu-img never looks for itself. */
export async function convertToRaw(qcow2: string, raw: string, signal: AbortSignal): Promise<void> {
  const limits = [`--as=${QEMU_MEMORY_BYTES}`, `--cpu=${QEMU_CPU_SECONDS}`];
  const convert = ['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', '-t', 'writeback', qcow2, raw];
  await child('prlimit', [...limits, ...convert], signal);
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
