/**
 * Requests that are rejected before anything on the disk is changed; loop.protocol.test.ts checks what is written.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { fakeDisk } from '../../test/fakes/agent/disk.ts';
import { imageInfoOf } from '../../test/fakes/agent/disk-image.ts';
import { startImageServer, type Turn } from '../../test/fakes/agent/image-server.ts';
import { gptHead } from '../../test/fakes/agent/partition-table.ts';
import type { Disk } from '../inventory/disks.ts';
import { deployImage } from './deploy-image.ts';

const MEBI = 1024 * 1024;
const IMAGE = Buffer.concat([gptHead([{ firstSector: 2048, sectors: 2048 }]), Buffer.alloc(3 * MEBI, 0x11)]);

interface Wanted {
  readonly diskBytes?: number;
  readonly hints?: Readonly<Record<string, unknown>>;
  readonly turns?: readonly Turn[];
  readonly info?: Readonly<Record<string, unknown>>;
  readonly drive?: string;
  readonly disks?: readonly Disk[];
}

/** The error for this request. Also checks that no byte of the disk changed and no program ran. */
async function refusal(wanted: Wanted): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-deploy-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const name = join(dir, 'disk');
  const before = Buffer.alloc(wanted.diskBytes ?? 8 * MEBI, 0xdd);
  writeFileSync(name, before);
  const server = await startImageServer(IMAGE, wanted.turns);
  onTestFinished(server.close);
  const programs: string[] = [];
  const context = fakeContext({
    run: async (program) => {
      programs.push(program);
      return '';
    },
    disks: wanted.disks ?? [fakeDisk({ name, size: before.length, serial: 'S1' })],
    node: { properties: { root_device: wanted.hints ?? { serial: 'S1' } } },
  });
  const info = { ...imageInfoOf(IMAGE, server.url), ...wanted.info };
  const message = await deployImage(context, info, wanted.drive ?? null).then(
    () => 'it worked',
    (error: Error) => error.message,
  );
  expect(programs).toEqual([]);
  expect(readFileSync(name).equals(before)).toBe(true);
  return message.replaceAll(name, '/dev/disk');
}

const driveOf = (bytes: number): string => gzipSync(Buffer.alloc(bytes), { level: 1 }).toString('base64');

describe('rejected with the disk unchanged', () => {
  it('when there is no disk', async () => {
    expect(await refusal({ disks: [] })).toMatch(/^no disk was found/);
  });

  it('when no disk matches the hints', async () => {
    expect(await refusal({ hints: { serial: 'S2' } })).toMatch(
      /^no disk matches the root device hints \(properties\.root_device\)\. \/dev\/disk \(0\.0 GiB, serial S1\): serial is "S1", wanted "S2"/,
    );
  });

  it('when a hint is invalid', async () => {
    expect(await refusal({ hints: { serail: 'S1' } })).toContain('properties.root_device: hint "serail"');
  });

  it('when the image is larger than the disk', async () => {
    expect(await refusal({ diskBytes: 3 * MEBI })).toMatch(
      /^the image is 3407872 bytes \(3\.3 MiB\) and does not fit on \/dev\/disk of 3145728 bytes .*; nothing on \/dev\/disk was changed$/,
    );
  });

  it('when a compressed image is larger than the disk', async () => {
    const zipped = zstdCompressSync(IMAGE);
    const { url, close } = await startImageServer(zipped);
    onTestFinished(close);
    const { os_hash_algo, os_hash_value } = imageInfoOf(zipped, url);
    const compressed = { url, encoding: 'zstd', os_hash_algo, os_hash_value, raw_size_bytes: IMAGE.length };
    expect(await refusal({ diskBytes: 3 * MEBI, info: { ingot_compressed: compressed } })).toMatch(
      /^the image is 3407872 bytes .* nothing on \/dev\/disk was changed$/,
    );
  });

  it('when image and config drive together are larger than the disk', async () => {
    expect(await refusal({ diskBytes: 5 * MEBI, drive: driveOf(1) })).toMatch(
      /does not fit on \/dev\/disk of 5242880 bytes \(5\.0 MiB\) beside the configdrive of 1 bytes/,
    );
  });

  it('when the config drive is larger than 64 MiB', async () => {
    expect(await refusal({ drive: driveOf(65 * MEBI) })).toMatch(
      /^the configdrive is 68157440 bytes \(65\.0 MiB\), more than the limit of 67108864 bytes \(64\.0 MiB\)/,
    );
  });

  it('when the image does not exist', async () => {
    expect(await refusal({ turns: [{ status: 404 }] })).toMatch(
      /^no source of the image \(image_info\.urls\) delivered it: .* answered HTTP 404: there is no such file.*; nothing on \/dev\/disk was changed$/,
    );
  });

  it('when the image is not a raw whole-disk image', async () => {
    expect(await refusal({ info: { disk_format: 'qcow2' } })).toContain('is qcow2, whole-disk');
    expect(await refusal({ info: { image_type: 'partition' } })).toContain('is raw, partition');
  });

  it('when its checksum is missing or invalid', async () => {
    expect(await refusal({ info: { os_hash_value: null } })).toContain(
      'os_hash_value, or checksum, must be given',
    );
    expect(await refusal({ info: { os_hash_value: 'xyz' } })).toContain(
      'must be hex, of the length of md5, sha256 or sha512',
    );
  });
});
