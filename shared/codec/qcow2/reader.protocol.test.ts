/**
 * Our qcow2 reader compared with qemu-img, which is the judge: images with every create option, written in pieces by
 * qemu-io, and converted images.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED } from '../../../test/random-cases.ts';
import { openQcow2, qcow2Data } from './reader.ts';

const MEBI = 1024 * 1024;
/** No multiple of any cluster size, so that the last cluster is only used in part. */
const SIZE = 6 * MEBI + 5 * 512;
let dir: string;
const at = (name: string): string => join(dir, name);
const run = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-qcow2-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function ours(name: string): Promise<Buffer> {
  const handle = await open(at(name), 'r');
  try {
    const file = {
      bytes: (await handle.stat()).size,
      read: async (from: number, length: number) => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
        return buffer.subarray(0, bytesRead);
      },
    };
    const header = await openQcow2(file);
    const disk = Buffer.alloc(header.virtualSize);
    for await (const { at: from, data } of qcow2Data(file, header)) disk.set(data, from);
    return disk;
  } finally {
    await handle.close();
  }
}

async function expectSameAsQemu(name: string, { isEmpty = false } = {}): Promise<void> {
  run('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', name, 'judged.raw');
  const [judged, read] = [readFileSync(at('judged.raw')), await ours(name)];
  expect(read.length).toBe(judged.length);
  expect(read.equals(judged)).toBe(true);
  expect(read.equals(Buffer.alloc(read.length))).toBe(isEmpty);
}

/** Park and Miller: the same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Writes, zeroes and discards pieces of 512 bytes to 200 KiB in any order, some of them compressed. */
function scribble(name: string, seed: number, { compress }: { compress: boolean }): void {
  const next = numbers(seed);
  const commands = Array.from({ length: 60 }, (_, i) => {
    const from = next(SIZE / 512) * 512;
    const length = Math.min((1 + next(next(3) === 0 ? 400 : 12)) * 512, SIZE - from);
    const pattern = 1 + next(255);
    const kind = next(10);
    if (kind === 0) return `write -z ${from} ${length}`;
    if (kind === 1) return `discard ${from} ${length}`;
    if (kind === 2) return `write -z -u ${from} ${length}`;
    // A compressed write replaces a whole cluster.
    if (compress && i % 4 === 0) {
      const start = Math.floor(from / 65_536) * 65_536;
      return `write -c -P ${pattern} ${start} ${Math.min(65_536, SIZE - start)}`;
    }
    return `write -P ${pattern} ${from} ${length}`;
  });
  // What does not fit the cluster size is refused by qemu-io; the other commands run.
  try {
    run('qemu-io', '-f', 'qcow2', '-d', 'unmap', ...commands.flatMap((command) => ['-c', command]), name);
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
}

const OPTIONS = [
  'compat=0.10',
  'compat=0.10,cluster_size=512',
  'compat=1.1',
  'cluster_size=512',
  'cluster_size=4k',
  'cluster_size=128k',
  'cluster_size=2M',
  'compression_type=zstd',
  'compression_type=zstd,cluster_size=512',
  'compression_type=zstd,cluster_size=2M',
  'extended_l2=on,cluster_size=16k',
  'extended_l2=on',
  'extended_l2=on,cluster_size=2M',
  'extended_l2=on,compression_type=zstd',
  'lazy_refcounts=on',
  'refcount_bits=1',
  'refcount_bits=64',
  'preallocation=metadata',
  'preallocation=falloc',
  'preallocation=full',
  'preallocation=metadata,extended_l2=on',
  'preallocation=metadata,cluster_size=512',
  'nocow=on',
];

describe.each(OPTIONS)('an image with %s', (options) => {
  const create = (name: string): void =>
    run('qemu-img', 'create', '-q', '-f', 'qcow2', '-o', options, name, String(SIZE));

  it('reads as qemu-img reads it: empty, and after writes, zeroes and discards', async () => {
    create('a.qcow2');
    await expectSameAsQemu('a.qcow2', { isEmpty: true });
    for (const compress of [false, true]) {
      scribble('a.qcow2', SEED + Number(compress), { compress });
      await expectSameAsQemu('a.qcow2');
    }
  });

  it('reads as qemu-img reads it with internal snapshots, and after it has grown and shrunk', async () => {
    create('s.qcow2');
    scribble('s.qcow2', SEED + 7, { compress: false });
    if (!options.includes('refcount_bits=1')) run('qemu-img', 'snapshot', '-c', 'one', 's.qcow2');
    scribble('s.qcow2', SEED + 8, { compress: true });
    await expectSameAsQemu('s.qcow2');
    if (options.includes('refcount_bits=1')) {
      run('qemu-img', 'resize', '-q', 's.qcow2', String(SIZE + MEBI));
      await expectSameAsQemu('s.qcow2');
      run('qemu-img', 'resize', '-q', '--shrink', 's.qcow2', String(SIZE / 2 - ((SIZE / 2) % 512)));
      await expectSameAsQemu('s.qcow2');
    } else {
      run('qemu-img', 'snapshot', '-a', 'one', 's.qcow2');
      await expectSameAsQemu('s.qcow2');
    }
  });

  it.each(['plain', 'compressed'])('reads as qemu-img reads it when it was converted (%s)', async (how) => {
    run('qemu-img', 'create', '-q', '-f', 'qcow2', 'source.qcow2', String(SIZE));
    scribble('source.qcow2', SEED + 9, { compress: false });
    const flags = how === 'plain' || options.includes('preallocation') ? [] : ['-c'];
    run('qemu-img', 'convert', ...flags, '-O', 'qcow2', '-o', options, 'source.qcow2', 'c.qcow2');
    await expectSameAsQemu('c.qcow2');
  });
});

describe('what is refused', () => {
  it.each([
    ['a backing file', ['-b', 'base.raw', '-F', 'raw'], 'it has a backing file'],
    ['an external data file', ['-o', 'data_file=data'], 'external file'],
    [
      'LUKS',
      [
        '--object',
        'secret,id=s,data=secret',
        '-o',
        'encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10',
      ],
      'it is encrypted (LUKS)',
    ],
  ])('is named: %s', async (_, options, reason) => {
    run('qemu-img', 'create', '-q', '-f', 'raw', 'base.raw', '1M');
    run('qemu-img', 'create', '-q', '-f', 'qcow2', ...options, 'refused.qcow2', '1M');
    await expect(ours('refused.qcow2')).rejects.toThrow(reason);
  });
});
