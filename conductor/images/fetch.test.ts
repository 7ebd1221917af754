import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cut,
  type ImageServer,
  redirect,
  stalled,
  startImageServer,
  whole,
} from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { DigestAlgorithm, ImageProgress, ImageRequest } from '../domain/images.ts';
import { type FetchLimits, fetchImage } from './fetch.ts';

const IMAGE = Buffer.from(Uint8Array.from({ length: 1_500_000 }, (_, at) => (at * 31) & 0xff));
const LIMITS: FetchLimits = {
  outbound: loopbackOutbound,
  allowed: [],
  maxBytes: 10_000_000,
  stallMs: 30_000,
  limitMs: 60_000,
};
const digestOf = (algorithm: DigestAlgorithm = 'sha256') => ({
  algorithm,
  value: createHash(algorithm).update(IMAGE).digest('hex'),
});

let dir: string;
let server: ImageServer;
let elsewhere: ImageServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-fetch-'));
  server = await startImageServer({ '/image': whole(IMAGE), '/cut': cut(IMAGE), '/stalled': stalled(IMAGE) });
  elsewhere = await startImageServer();
});
afterAll(async () => {
  await Promise.all([server.close(), elsewhere.close()]);
  await rm(dir, { recursive: true, force: true });
});

const target = () => join(dir, 'target');
function fetching(
  source: string,
  {
    limits = {},
    signal = new AbortController().signal,
    ...image
  }: Partial<ImageRequest> & {
    limits?: Partial<FetchLimits>;
    signal?: AbortSignal;
  } = {},
) {
  return fetchImage({ source, ...image }, target(), { ...LIMITS, ...limits }, { signal });
}

describe('an image over HTTP', () => {
  it.each(['md5', 'sha256', 'sha512'] as const)('is stored as it is, checked by %s', async (algorithm) => {
    const digest = digestOf(algorithm);
    await expect(fetching(server.url('/image'), { digest })).resolves.toEqual({
      bytes: IMAGE.length,
      digest,
    });
    expect((await readFile(target())).equals(IMAGE)).toBe(true);
  });

  it('reports its progress, up to the whole file', async () => {
    const seen: ImageProgress[] = [];
    const options = {
      signal: new AbortController().signal,
      onProgress: (at: ImageProgress) => seen.push(at),
    };
    await fetchImage({ source: server.url('/image') }, target(), LIMITS, options);
    expect(seen.at(-1)).toEqual({ phase: 'fetch', bytesDone: IMAGE.length, bytesTotal: IMAGE.length });
    expect(seen.map(({ bytesDone }) => bytesDone)).toEqual(
      seen.map(({ bytesDone }) => bytesDone).sort((a, b) => a - b),
    );
  });

  it('may come without a length', async () => {
    server.answers.set('/chunked', (__, response) => {
      response.write(IMAGE.subarray(0, 1000));
      response.end(IMAGE.subarray(1000));
    });
    expect(await fetching(server.url('/chunked'), { digest: digestOf() })).toMatchObject({
      bytes: IMAGE.length,
    });
  });

  it('is rejected when its digest differs, with field, both digests and advice', async () => {
    const value = 'ab'.repeat(32);
    const failed = fetching(server.url('/image'), { digest: { algorithm: 'sha256', value } });
    await expect(failed).rejects.toMatchObject({ code: 'imageFailure' });
    await expect(failed).rejects.toThrow(
      `instance_info/image_checksum: the sha256 digest does not match: expected ${value}, got ${digestOf().value} over 1500000 bytes from ${server.url('/image')}. To try: compare with the digest that the publisher gives`,
    );
  });

  it('names the field of the digest, and the checksum file', async () => {
    const digest = { algorithm: 'sha256', value: 'ab'.repeat(32) } as const;
    await expect(
      fetching(server.url('/image'), { digest, digestField: 'image_os_hash_value' }),
    ).rejects.toThrow(/^instance_info\/image_os_hash_value: .* correct instance_info\/image_os_hash_value/);
    await expect(
      fetching(server.url('/image'), { digest, checksumUrl: 'http://user:pw@sums/SHA256SUMS?key=1' }),
    ).rejects.toThrow(/expected (ab){32} \(from http:\/\/\*{6}@sums\/SHA256SUMS\?\*{6}\)/);
  });

  it.each([
    [
      'is not there',
      '/gone',
      'the server answered HTTP 404. To try: the file does not exist: correct the URL',
    ],
    ['is cut', '/cut', /broke off after \d+ bytes: the connection broke\. To try: deploy again/],
  ])('that %s is said to be so', async (_, path, text) => {
    const failed = fetching(server.url(path), { digest: digestOf() });
    await expect(failed).rejects.toMatchObject({ code: 'imageFailure' });
    await expect(failed).rejects.toThrow(text);
    await expect(failed).rejects.toThrow(`instance_info/image_source: ${server.url(path)}`);
  });

  it.each([
    [401, 'put user and password into the URL'],
    [500, 'the server has a problem'],
    [204, 'the server answered HTTP 204'],
    [304, 'the server answered HTTP 304'],
  ])('answered with %i says what to try', async (status, text) => {
    server.answers.set('/status', (__, response) => void response.writeHead(status).end());
    await expect(fetching(server.url('/status'))).rejects.toThrow(text);
  });

  it('is aborted when no data comes', async () => {
    await expect(fetching(server.url('/stalled'), { limits: { stallMs: 50 } })).rejects.toThrow(
      /instance_info\/image_source: .* broke off after \d+ bytes: the server stopped sending/,
    );
  });

  it('is aborted when the whole transfer takes too long, even while data comes', async () => {
    server.answers.set('/drip', (_, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      response.once('close', () => clearInterval(timer));
    });
    await expect(fetching(server.url('/drip'), { limits: { limitMs: 100 } })).rejects.toThrow(
      /was not fetched within 0\.1 s; \d+ bytes were received\. To try: .*images\.fetch_timeout/,
    );
  });

  it('is not fetched when it is announced as too large, and aborted when it becomes too large', async () => {
    const limits = { maxBytes: 1_000_000 };
    const text =
      /is \d+ bytes or more, but the image cache is limited to 1000000\. To try: raise images\.cache_gib/;
    await expect(fetching(server.url('/image'), { limits })).rejects.toThrow(text);
    server.answers.set('/endless', (_, response) => {
      const more = () => {
        while (response.write(IMAGE));
      };
      response.on('drain', more);
      more();
    });
    await expect(fetching(server.url('/endless'), { limits })).rejects.toThrow(text);
  });

  it('ends at once when it is cancelled, with that reason', async () => {
    const stop = new AbortController();
    server.answers.set('/wait', (_, response) => {
      response.writeHead(200).write('x');
      setImmediate(() => stop.abort(new Error('enough')));
    });
    await expect(fetching(server.url('/wait'), { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('can not come from a closed port', async () => {
    const free = createServer();
    await new Promise<void>((listening) => free.listen(0, '127.0.0.1', listening));
    const { port } = free.address() as { port: number };
    await new Promise((closed) => free.close(closed));
    await expect(fetching(`http://user:secret@localhost:${port}/i?token=secret`)).rejects.toThrow(
      `instance_info/image_source: http://******@localhost:${port}/i?****** cannot be fetched: the connection was refused. To try: check that the server runs`,
    );
  });

  it('can not come from an unknown host', async () => {
    await expect(fetching('http://no-such-host.invalid/i')).rejects.toThrow(
      /http:\/\/no-such-host\.invalid\/i cannot be fetched: (the host name cannot be resolved|no name server answered)/,
    );
  });
});

describe('redirects', () => {
  it('are followed, and credentials are sent only to their host', async () => {
    const authorizations: (string | undefined)[] = [];
    elsewhere.answers.set('/image', (request, response) => {
      authorizations.push(request.headers.authorization);
      response.end(IMAGE);
    });
    server.answers.set('/moved', (request, response) => {
      authorizations.push(request.headers.authorization);
      redirect(elsewhere.url('/image'))(request, response);
    });
    const source = server.url('/moved').replace('//', '//user:pass@');
    await expect(fetching(source, { digest: digestOf() })).resolves.toMatchObject({ bytes: IMAGE.length });
    expect(authorizations).toEqual([`Basic ${Buffer.from('user:pass').toString('base64')}`, undefined]);
  });

  it.each([
    ['without end', () => server.url('/loop'), 'redirects more than 5 times'],
    ['to a file', () => 'file:///etc/passwd', 'it is a URL that is not http or https'],
  ])('%s are refused', async (_, to, text) => {
    server.answers.set('/loop', redirect(to()));
    await expect(fetching(server.url('/loop'))).rejects.toThrow(text);
  });
});

describe('an image from a file', () => {
  it('is rejected when its length differs from its size', async () => {
    // Files of /proc have contents but a size of 0.
    await expect(fetching('file:///proc/version', { limits: { allowed: ['/proc'] } })).rejects.toThrow(
      /^instance_info\/image_source: file:\/\/\/proc\/version ended after \d+ of 0 bytes$/,
    );
  });

  it('is copied and hashed', async () => {
    await writeFile(join(dir, 'source'), IMAGE);
    const limits = { allowed: [dir] };
    await expect(fetching(`file://${dir}/source`, { limits })).resolves.toEqual({
      bytes: IMAGE.length,
      digest: digestOf(),
    });
    expect((await readFile(target())).equals(IMAGE)).toBe(true);
    expect((await readFile(target())).equals(IMAGE)).toBe(true);
    const digest = { algorithm: 'sha256', value: '0'.repeat(64) } as const;
    await expect(fetching(`file://${dir}/source`, { limits, digest })).rejects.toThrow('does not match');
  });
});
