import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firmwareEntries } from './firmware.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ingot-firmware-'));
  await mkdir(join(root, 'lib/firmware/intel/ice/ddp'), { recursive: true });
  await mkdir(join(root, 'lib/firmware/other'), { recursive: true });
  await writeFile(join(root, 'lib/firmware/intel/ice/ddp/ice-1.3.30.0.pkg'), 'package');
  await symlink('ice-1.3.30.0.pkg', join(root, 'lib/firmware/intel/ice/ddp/ice.pkg'));
  await writeFile(join(root, 'lib/firmware/other/unwanted.bin'), 'x');
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('firmware', () => {
  it('contains exactly the files that modules name', async () => {
    const { entries, missing } = await firmwareEntries(
      [{ name: 'ice', firmware: ['intel/ice/ddp/ice.pkg'] }],
      root,
    );
    expect(entries).toEqual([
      {
        kind: 'file',
        path: 'lib/firmware/intel/ice/ddp/ice.pkg',
        mode: 0o644,
        data: Buffer.from('package'),
      },
    ]);
    expect(missing).toEqual([]);
  });

  it('names the driver and the files that no package contains', async () => {
    const { entries, missing } = await firmwareEntries(
      [
        { name: 'bnx2x', firmware: ['bnx2x/one.fw', 'bnx2x/two.fw'] },
        { name: 'e1000', firmware: [] },
      ],
      join(root, 'no-such-place'),
    );
    expect(entries).toEqual([]);
    expect(missing).toEqual([{ module: 'bnx2x', files: ['bnx2x/one.fw', 'bnx2x/two.fw'] }]);
  });

  it('contains a file that two modules name once', async () => {
    const firmware = ['intel/ice/ddp/ice.pkg'];
    const { entries } = await firmwareEntries(
      [
        { name: 'a', firmware },
        { name: 'b', firmware },
      ],
      root,
    );
    expect(entries).toHaveLength(1);
  });
});
