import { describe, expect, it } from 'vitest';
import type { ImageRequest } from '../domain/images.ts';
import { checkRequest } from './request-check.ts';

const digest = { algorithm: 'sha256', value: 'ab'.repeat(32) } as const;
const md5 = { algorithm: 'md5', value: 'ab'.repeat(16) } as const;
const http = 'http://host/disk.qcow2';
const refusal = ({ hostname }: URL) => (hostname === 'inside' ? 'inside is inside' : undefined);
const rules = { fileAllow: ['/images'], refusal };

describe('checkRequest', () => {
  it.each<[string, ImageRequest]>([
    ['http with a digest', { source: http, digest }],
    ['https with a file of digests', { source: 'https://host/a', checksumUrl: 'https://host/SHA256SUMS' }],
    ['a file without a digest', { source: 'file:///images/a', diskFormat: 'raw' }],
    ['a file with one', { source: 'file:///images/a', digest, diskFormat: 'qcow2' }],
  ])('takes %s', (_, image) => {
    expect(() => checkRequest(image, rules)).not.toThrow();
  });

  it.each<[string, ImageRequest, code: string, text: string]>([
    [
      'no URL',
      { source: 'disk.qcow2', digest },
      'invalidParameter',
      'image_source: it must be an http, https or file URL',
    ],
    [
      'another scheme',
      { source: 'ftp://host/a', digest },
      'invalidParameter',
      'image_source: it must be an http, https or file URL',
    ],
    [
      'escapes that mean nothing',
      { source: 'http://host/%zz', digest },
      'invalidParameter',
      'image_source: it must be',
    ],
    [
      'http without a digest',
      { source: http },
      'missingParameter',
      'image_checksum is missing: give it, or image_os_hash_algo and image_os_hash_value',
    ],
    [
      'a file of digests that is a file',
      { source: http, checksumUrl: 'file:///etc/passwd' },
      'invalidParameter',
      'image_checksum: it must be a digest, or the http(s) URL',
    ],
    [
      'a source that may not be asked',
      { source: 'http://a:b@inside/i?c', digest },
      'invalidParameter',
      'image_source: http://******@inside/i?****** cannot be fetched: inside is inside',
    ],
    [
      'a file of digests that may not be asked',
      { source: http, checksumUrl: 'http://inside/s' },
      'invalidParameter',
      'image_checksum: http://inside/s cannot be fetched: inside is inside',
    ],
    [
      'another format',
      { source: http, digest, diskFormat: 'vmdk' },
      'invalidParameter',
      'image_disk_format: it must be raw or qcow2, not vmdk',
    ],
    [
      'a file on another host',
      { source: 'file://host/a' },
      'invalidParameter',
      'image_source: a file URL must not contain a host',
    ],
    [
      'md5',
      { source: http, digest: md5 },
      'invalidParameter',
      'image_checksum: md5 digests are not accepted',
    ],
    [
      'md5 as hash value',
      { source: http, digest: md5, digestField: 'image_os_hash_value' },
      'invalidParameter',
      'image_os_hash_value: md5 digests are not accepted, because md5 is not collision-resistant. Give a sha256 or sha512',
    ],
  ])('refuses %s, naming the field', (_, image, code, text) => {
    const check = () => checkRequest(image, rules);
    expect(check).toThrow(expect.objectContaining({ code }));
    expect(check).toThrow(`instance_info/${text}`);
  });

  it('accepts md5 when it is allowed', () => {
    expect(() => checkRequest({ source: http, digest: md5 }, { ...rules, allowMd5: true })).not.toThrow();
  });

  it('accepts no file when none is allowed', () => {
    expect(() => checkRequest({ source: 'file:///images/a' }, { fileAllow: [], refusal })).toThrow(
      'images.file_allow',
    );
  });
});
