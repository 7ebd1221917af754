import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Json } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { createConfigDriveBuilder, filesOf } from './config-drive.ts';

const MEBI = 1024 * 1024;
const { validate, build } = createConfigDriveBuilder();
const node = { uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', name: 'rack1-u7' } as Node;
const packed = (image: Buffer): string => gzipSync(image, { level: 1 }).toString('base64');
const iso = (bytes = MEBI): Buffer => Buffer.alloc(bytes).fill('CD001', 0x8001, 0x8006);
function fat(): Buffer {
  const image = Buffer.alloc(MEBI).fill('FAT16', 0x36, 0x3b);
  image.writeUInt16LE(0xaa55, 510);
  return image;
}

describe('a config drive given as a string', () => {
  it.each([
    ['a gzipped ISO 9660 image', packed(iso())],
    ['one of exactly 64 MiB', packed(iso(64 * MEBI))],
    ['a gzipped FAT image', packed(fat())],
    ['base64 in lines', packed(iso()).replace(/.{76}/g, '$&\n')],
    ['a URL', 'https://host/drive.gz'],
  ])('may be %s, and is passed on as it is', async (_, drive) => {
    expect(() => validate(drive)).not.toThrow();
    await expect(build(drive, node, new AbortController().signal)).resolves.toBe(drive);
  });

  it.each([
    ['text', 'not a drive!', 'neither JSON, nor a URL, nor base64'],
    ['an ftp URL', 'ftp://host/drive', 'neither JSON, nor a URL, nor base64'],
    ['base64 of what is not gzip', Buffer.from('drive').toString('base64'), 'base64 of a gzipped image'],
    ['base64 of cut gzip', packed(iso()).slice(0, 400), 'base64 of a gzipped image'],
    [
      'gzip of another file',
      packed(Buffer.alloc(MEBI, 'x')),
      'contains neither an ISO 9660 nor a FAT file system',
    ],
    ['gzip of nothing', packed(Buffer.alloc(0)), 'contains neither an ISO 9660 nor a FAT file system'],
  ])('is not %s', (_, drive, text) => {
    expect(() => validate(drive)).toThrow(text);
    expect(() => validate(drive)).toThrow(/^configdrive \(instance_info\/configdrive\) /);
  });

  it('is rejected when it is too large, with field, size, limit and advice', () => {
    expect(() => validate(packed(iso(65 * MEBI)))).toThrow(
      'configdrive (instance_info/configdrive) is 68157440 bytes when unpacked, and the limit is 67108864 bytes (64 MiB). To try: leave large files out and let user_data fetch them',
    );
  });

  it('is not unpacked beyond the limit when it declares a wrong size', () => {
    const lying = gzipSync(iso(65 * MEBI), { level: 1 });
    lying.writeUInt32LE(1000, lying.length - 4);
    expect(() => validate(lying.toString('base64'))).toThrow('is more than 67108864 bytes when unpacked');
  });
});

describe('a config drive given as an object', () => {
  it.each([
    ['everything', { meta_data: { a: 1 }, user_data: '#cloud-config', network_data: {}, vendor_data: {} }],
    ['nothing', {}],
    ['nulls', { meta_data: null, user_data: null }],
    ['user data as an object', { user_data: { users: [] } }],
    ['files of the façade', { files: { 'content/0000': 'aGk=', 'latest/user_data': 'H4s=' } }],
  ])('may hold %s', (_, drive) => {
    expect(() => validate(drive as Json)).not.toThrow();
  });

  it.each([
    ['unknown keys', { userdata: 'x' }, 'userdata'],
    ['text as meta_data', { meta_data: 'x' }, 'meta_data'],
    ['a list as network_data', { network_data: [] }, 'network_data'],
    ['files elsewhere', { files: { '../../etc/passwd': 'aGk=' } }, 'content/NNNN'],
    ['a list of files', { files: [] }, 'needs an object as files'],
  ])('holds no %s', (_, drive, text) => {
    expect(() => validate(drive as Json)).toThrow(text);
    expect(() => validate(drive as Json)).toThrow(/^configdrive \(instance_info\/configdrive\) /);
  });

  it('is rejected when it is too large, with field, size in bytes and limit', () => {
    expect(() => validate({ user_data: 'ä'.repeat(33 * MEBI) })).toThrow(
      `configdrive (instance_info/configdrive) is ${66 * MEBI + '{"user_data":""}'.length} bytes, and the limit is 67108864 bytes`,
    );
  });

  it.each([null, 5, true, ['x']])('or a string, not %j', (drive) => {
    expect(() => validate(drive as Json)).toThrow('must be a JSON object, a URL, or base64');
  });

  it('becomes files; uuid and name in meta_data default to those of the node', () => {
    expect(
      filesOf({ user_data: '#!/bin/sh', network_data: { links: [] }, vendor_data: { v: 1 } }, node),
    ).toEqual({
      'meta_data.json': `{"uuid":"${node.uuid}","name":"rack1-u7","hostname":"rack1-u7"}`,
      user_data: '#!/bin/sh',
      'network_data.json': '{"links":[]}',
      'vendor_data2.json': '{"v":1}',
    });
    expect(filesOf({ meta_data: { uuid: 'own' } }, { ...node, name: null })).toEqual({
      'meta_data.json': '{"uuid":"own"}',
    });
  });
});
