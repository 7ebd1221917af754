import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BootFakes, createBootFakes } from '../../test/fakes/netboot/boot-fakes.ts';
import { assetOf, createGrubFiles, isGrubConfig } from './grub-files.ts';
import { createTftpFiles } from './tftp-files.ts';

const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const MAC = '52:54:00:00:00:0a';
const CLIENT = '10.1.0.9';
let dir: string;
let fakes: BootFakes;
let read: (name: string) => Promise<string | undefined>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grub-files-'));
  for (const name of ['ramdisk', 'tftp/grub/x86_64-efi']) await mkdir(join(dir, name), { recursive: true });
  await writeFile(join(dir, 'ramdisk/vmlinuz'), 'kernel');
  await writeFile(join(dir, 'ramdisk/secret'), 'secret');
  await writeFile(join(dir, 'tftp/grubnetx64.efi'), 'grub');
  await writeFile(join(dir, 'tftp/grub/x86_64-efi/grub.cfg'), 'of the operator');
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(() => {
  fakes = createBootFakes({ [MAC]: { kind: 'ramdisk', nodeUuid, kernelParams: [] } });
  const files = createGrubFiles(createTftpFiles(join(dir, 'tftp')), {
    ...fakes,
    leasedTo: async () => CLIENT,
    now: () => new Date(0),
    address: '10.1.0.1',
    ramdiskDir: join(dir, 'ramdisk'),
  });
  read = async (name) => (await files.read(name, CLIENT))?.toString();
});

it.each([
  '/grub/grub.cfg',
  'grub/grub.cfg',
  '/grub/grub.cfg-01-52-54-00-00-00-0a',
  '/grub/grub.cfg-0A4D0064',
])('serves %s, which loads the configuration of the machine', async (name) => {
  expect(await read(name)).toContain('source (tftp,10.1.0.1)/grub/machine/');
  expect(fakes.seen()).toEqual([]);
});

it('prefers a configuration of the operator', async () => {
  expect(await read('/grub/x86_64-efi/grub.cfg')).toBe('of the operator');
});

it.each(['52:54:00:00:00:0a', '52-54-00-00-00-0A'])('serves %s its own configuration', async (mac) => {
  const text = await read(`/grub/machine/${mac}.cfg`);
  expect(text).toContain(`linux (tftp,10.1.0.1)/boot/${nodeUuid}/vmlinuz`);
  expect(fakes.sightings).toEqual([
    { kind: 'script', at: new Date(0), mac: MAC, bytes: text?.length, detail: 'ramdisk' },
  ]);
});

it('records a machine that is sent to its disk, but no unknown machines', async () => {
  fakes.decisions.set(MAC, { kind: 'disk', nodeUuid });
  expect(await read(`/grub/machine/${MAC}.cfg`)).toContain('chainloader');
  expect(await read('/grub/machine/52:54:00:ff:ff:ff.cfg')).toContain('not known here');
  expect(fakes.seen()).toEqual(['disk boot']);
});

it('serves the ramdisk of a node and no other file', async () => {
  expect(await read(`/boot/${nodeUuid}/vmlinuz`)).toBe('kernel');
  expect(await read('/grubnetx64.efi')).toBe('grub');
  for (const name of [
    `/boot/${nodeUuid}/ramdisk.img`,
    `/boot/${nodeUuid}/secret`,
    `/boot/${nodeUuid}/../secret`,
    '/boot/other/vmlinuz',
    '/grub/machine/x.cfg',
    '/grub/machine/52:54:00-00:00:zz.cfg',
    '/grub/machine/../../ramdisk/secret',
    '/grub/grub.cfg/../secret',
  ]) {
    expect([name, await read(name)]).toEqual([name, undefined]);
  }
});

it('distinguishes kernel, ramdisk and configurations from boot programs', () => {
  expect(assetOf(`/boot/${nodeUuid}/vmlinuz`)).toEqual({ nodeUuid, what: 'kernel', name: 'vmlinuz' });
  expect(assetOf(`boot/${nodeUuid}/ramdisk.img`)?.what).toBe('ramdisk');
  expect(assetOf('snponly.efi')).toBeUndefined();
  expect(['/grub/grub.cfg', `/grub/machine/${MAC}.cfg`, 'snponly.efi'].map(isGrubConfig)).toEqual([
    ...[true, true, false],
  ]);
});
