import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { decodeImageInfo, encodeImageInfo, type ServedImage } from './image-info.ts';

const MD5 = 'ab'.repeat(16);
const SHA256 = 'cd'.repeat(32);
const SHA512 = 'ef'.repeat(64);
const PLAIN = { id: 'i', urls: ['http://images/1'], os_hash_algo: 'sha256', os_hash_value: SHA256 };

describe('an image that our conductor serves', () => {
  const served: ServedImage = {
    id: 'i',
    nodeUuid: 'n',
    rawBytes: 4096,
    plain: { url: 'http://images/raw', algorithm: 'sha256', digest: SHA256 },
    compressed: { url: 'http://images/zst', algorithm: 'sha256', digest: 'aa'.repeat(32), sizeBytes: 10 },
  };

  it('our agent fetches it compressed', () => {
    expect(decodeImageInfo(encodeImageInfo(served))).toEqual({
      ok: true,
      value: {
        id: 'i',
        diskFormat: 'raw',
        imageType: 'whole-disk',
        download: {
          urls: ['http://images/zst'],
          algorithm: 'sha256',
          digest: 'aa'.repeat(32),
          encoding: 'zstd',
          rawBytes: 4096,
        },
      },
    });
  });

  it('other agents fetch it uncompressed', () => {
    const { ingot_compressed: _, ...others } = encodeImageInfo(served);
    expect(others).toEqual({
      id: 'i',
      urls: ['http://images/raw'],
      os_hash_algo: 'sha256',
      os_hash_value: SHA256,
      checksum: null,
      disk_format: 'raw',
      container_format: 'bare',
      stream_raw_images: true,
      image_type: 'whole-disk',
      node_uuid: 'n',
    });
    expect(decodeImageInfo(others)).toMatchObject({
      value: { download: { urls: ['http://images/raw'], digest: SHA256, encoding: 'none', rawBytes: null } },
    });
  });
});

it.each([
  ['md5', MD5],
  ['sha256', SHA256.toUpperCase()],
  ['sha512', SHA512],
])('recognizes %s by the length of the digest', (algorithm, checksum) => {
  const info = { id: 'i', urls: ['https://images/1'], checksum };
  expect(decodeImageInfo(info)).toMatchObject({
    value: { download: { algorithm, digest: checksum.toLowerCase() } },
  });
});

it.each([
  [null, 'image_info must be an object'],
  [{ ...PLAIN, id: 1 }, 'image_info.id is missing'],
  [{ ...PLAIN, urls: [] }, 'image_info.urls must hold at least one http(s) URL'],
  [{ ...PLAIN, urls: ['file:///etc/passwd'] }, 'image_info.urls must hold at least one http(s) URL'],
  [
    { ...PLAIN, os_hash_value: undefined },
    'image_info.os_hash_algo and os_hash_value, or checksum, must be given',
  ],
  [{ ...PLAIN, os_hash_algo: 'md5' }, /^the digest in image_info must be hex/],
  [{ ...PLAIN, os_hash_value: 'z'.repeat(64) }, /^the digest in image_info must be hex/],
  [{ ...PLAIN, ingot_compressed: { url: 'ftp://x' } }, /ingot_compressed.url must be an http/],
  [
    { ...PLAIN, ingot_compressed: { url: 'http://x', encoding: 'xz' } },
    /encoding "xz" is not known; zstd is/,
  ],
  [
    { ...PLAIN, ingot_compressed: { url: 'http://x', encoding: 'zstd', raw_size_bytes: 1.5 } },
    /raw_size_bytes must be a whole number/,
  ],
])('is refused as %j', (info, reason) => {
  const decoded = decodeImageInfo(info);
  expect(decoded.ok ? 'it was accepted' : decoded.reason).toMatch(reason);
});

it('ignores unknown fields and never throws', () => {
  expect(decodeImageInfo({ ...PLAIN, newer: 1, ingot_compressed: null })).toMatchObject({ ok: true });
  expect(decodeImageInfo({ ...PLAIN, disk_format: { toString: {} } })).toHaveProperty('ok');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeImageInfo(value)).toHaveProperty('ok');
      for (const key of ['urls', 'os_hash_value', 'ingot_compressed', 'disk_format'])
        expect(decodeImageInfo({ ...PLAIN, [key]: value })).toHaveProperty('ok');
    }),
  );
});
