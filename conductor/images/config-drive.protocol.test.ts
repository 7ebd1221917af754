/** Config drives from genisoimage, read with isoinfo. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../domain/node.ts';
import { createConfigDriveBuilder } from './config-drive.ts';

const MEBI = 1024 * 1024;
const builder = createConfigDriveBuilder();
const node = { uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', name: 'n1' } as Node;
const { signal } = new AbortController();
const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('ingot-configdrive-'));
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-drive-test-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a config drive built from an object', () => {
  it('is an ISO 9660 image labelled config-2 with the paths that cloud-init reads', async () => {
    const drive = await builder.build(
      {
        meta_data: { hostname: 'ünï' },
        user_data: '#cloud-config\n',
        network_data: { links: [] },
        vendor_data: {},
        files: { 'content/0000': Buffer.from([0x1f, 0x8b, 0xff]).toString('base64') },
      },
      node,
      signal,
    );
    expect(() => builder.validate(drive)).not.toThrow();
    const iso = join(dir, 'drive.iso');
    writeFileSync(iso, gunzipSync(Buffer.from(drive, 'base64')));
    const isoinfo = (...args: string[]) =>
      execFileSync('isoinfo', ['-i', iso, ...args], { encoding: 'utf8' });
    const read = (name: string) => isoinfo('-R', '-x', `/openstack/latest/${name}`);
    expect(isoinfo('-d')).toMatch(/^Volume id: config-2$/m);
    expect(JSON.parse(read('meta_data.json'))).toEqual({ uuid: node.uuid, name: 'n1', hostname: 'ünï' });
    expect(read('user_data')).toBe('#cloud-config\n');
    expect(JSON.parse(read('network_data.json'))).toEqual({ links: [] });
    expect(JSON.parse(read('vendor_data2.json'))).toEqual({});
    const file = execFileSync('isoinfo', ['-i', iso, '-R', '-x', '/openstack/content/0000']);
    expect([...file]).toEqual([0x1f, 0x8b, 0xff]);
    expect(left()).toEqual([]);
  });

  it('reports that it is too large when only its file system exceeds the partition', async () => {
    const drive = { user_data: 'x'.repeat(64 * MEBI - 100) };
    await expect(builder.build(drive, node, signal)).rejects.toThrow(
      /^configdrive \(instance_info\/configdrive\) is \d+ bytes as a file system, and the limit is 67108864/,
    );
    expect(left()).toEqual([]);
  });

  it('is cancelled with its caller, and leaves no files behind', async () => {
    const gone = AbortSignal.abort(new Error('enough'));
    await expect(builder.build({ user_data: 'x' }, node, gone)).rejects.toThrow();
    expect(left()).toEqual([]);
  });
});
