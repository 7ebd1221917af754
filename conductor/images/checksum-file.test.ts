import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIdleClock } from '../../test/fakes/idle-clock.ts';
import {
  cut,
  type ImageServer,
  redirect,
  stalled,
  startImageServer,
  whole,
} from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { fc } from '../../test/random-cases.ts';
import { fetchDigest, fileNameOf, findDigest } from './checksum-file.ts';

const MD5 = '0123456789abcdef'.repeat(2);
const SHA256 = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const SHA512 = 'ef'.repeat(64);
const sha256 = { ok: true, value: { algorithm: 'sha256', value: SHA256 } };

describe('findDigest', () => {
  it.each([
    ['a digest alone', SHA256],
    ['a digest alone in upper case, with line end', `${SHA256.toUpperCase()}\r\n`],
    ['digest and name', `${SHA256}  disk.qcow2\n`],
    ['digest and name of binary mode', `${SHA256} *disk.qcow2`],
    ['digest and path', `${SHA256}  ./out/disk.qcow2`],
    ['one of many lines', `${OTHER}  a\n${SHA256}  disk.qcow2\n${OTHER}  disk.qcow2.sig\n`],
    ['the only line, of another name', `${SHA256}  build-17.qcow2\n`],
    ['BSD', `SHA256 (disk.qcow2) = ${SHA256}\nSHA256 (b) = ${OTHER}\n`],
    [
      'signed',
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n# disk.qcow2: 9 bytes\nSHA256 (disk.qcow2) = ${SHA256}\n`,
    ],
    ['several algorithms, the best counts', `${MD5}  disk.qcow2\n${SHA256}  disk.qcow2\n`],
    ['the same line twice', `${SHA256}  disk.qcow2\n${SHA256}  disk.qcow2\n${OTHER}  a\n`],
    ['lengths of no algorithm beside it', `${'a'.repeat(40)}  disk.qcow2\n${SHA256}  disk.qcow2\n`],
  ])('takes %s', (_, text) => {
    expect(findDigest(text, 'disk.qcow2')).toEqual(sha256);
  });

  it.each([
    ['md5', MD5],
    ['sha512', SHA512],
  ])('takes %s by its length', (algorithm, value) => {
    expect(findDigest(`${value}  d`, 'd')).toEqual({ ok: true, value: { algorithm, value } });
  });

  it.each([
    ['nothing', '', 'contains no md5, sha256 or sha512 digest'],
    ['a web page', '<!DOCTYPE html><p>not found</p>', 'contains no md5, sha256 or sha512 digest'],
    ['other names only', `${SHA256}  a\n${OTHER}  b\n`, 'contains 2 digests, none of disk.qcow2'],
    [
      'two digests for one name',
      `${SHA256}  disk.qcow2\n${OTHER}  disk.qcow2\n`,
      'contains several sha256 digests of disk.qcow2',
    ],
  ])('refuses %s', (_, text, reason) => {
    expect(findDigest(text, 'disk.qcow2')).toEqual({ ok: false, reason });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.string(), (text, name) => {
        expect(typeof findDigest(text, name).ok).toBe('boolean');
      }),
    );
  });
});

describe('fetchDigest', () => {
  const limits = { outbound: loopbackOutbound, stallMs: 30_000, limitMs: 30_000 };
  const { signal } = new AbortController();
  let server: ImageServer;
  beforeAll(async () => {
    server = await startImageServer({
      '/SHA256SUMS': whole(`${OTHER}  other\n${SHA256} *disk one.qcow2\n`),
      '/moved': (request, response) => redirect(server.url('/SHA256SUMS'))(request, response),
      '/page': whole('<html>'),
      '/huge': whole(Buffer.alloc(1024 * 1024 + 1, 'a')),
      '/cut': cut(Buffer.alloc(1000)),
      '/stalled': stalled(Buffer.alloc(1000)),
    });
  });
  afterAll(() => server.close());
  const fetching = (path: string, more = {}) =>
    fetchDigest(server.url(path), 'http://host/a/disk%20one.qcow2?x=1', { ...limits, ...more }, signal);

  it('finds the digest of the named image', async () => {
    expect(fileNameOf('http://host/a/disk%20one.qcow2?x=1')).toBe('disk one.qcow2');
    await expect(fetching('/SHA256SUMS')).resolves.toEqual(sha256.value);
    await expect(fetching('/moved')).resolves.toEqual(sha256.value);
  });

  it.each([
    ['/none', {}, 'the server answered HTTP 404'],
    [
      '/page',
      {},
      'contains no md5, sha256 or sha512 digest. To try: correct the URL, or give the digest itself',
    ],
    ['/huge', {}, 'is larger than 1048576 bytes, so it is not a checksum file'],
    ['/cut', {}, 'the connection broke'],
    ['/stalled', { limitMs: 50 }, 'was not fetched within 0.05 s'],
  ])('of %s %j says why not', async (path, more, text) => {
    const failed = fetching(path, more);
    await expect(failed).rejects.toThrow(text);
    await expect(failed).rejects.toThrow(`instance_info/image_checksum: ${server.url(path)}`);
  });

  it('reports a server that stops sending', async () => {
    using clock = startIdleClock();
    const failed = clock.during(fetching('/stalled', { stallMs: 50 }));
    await expect(failed).rejects.toThrow('the server stopped sending');
  });
});
