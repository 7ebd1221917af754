import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ImageServer, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { createDigestLookup, type DigestLookup } from './digest-lookup.ts';

const [FIRST, SECOND] = ['ab'.repeat(32), 'cd'.repeat(32)];
const digest = (value: string) => ({ algorithm: 'sha256', value }) as const;
const signal = new AbortController().signal;

let server: ImageServer;
let digests: DigestLookup;
beforeEach(async () => {
  server = await startImageServer({ '/sums': whole(`${FIRST}  disk.raw\n${SECOND}  other.raw\n`) });
  digests = createDigestLookup({ outbound: loopbackOutbound, stallMs: 5_000, limitMs: 10_000 });
});
afterEach(() => server.close());

const request = (name = 'disk.raw') => ({
  source: `http://images.example/${name}`,
  checksumUrl: server.url('/sums'),
});
const settled = (name: string, reuse: boolean) => digests.settle(request(name), { reuse, signal });

it('leaves a request with a digest, and one without a checksum file, unchanged', async () => {
  const given = { ...request(), digest: digest(SECOND!) };
  expect(await digests.settle(given, { reuse: false, signal })).toEqual(given);
  const neither = { source: 'file:///images/disk.raw' };
  expect(await digests.settle(neither, { reuse: false, signal })).toEqual(neither);
  expect(server.asked).toEqual([]);
});

it('reads the digest of the image from the checksum file', async () => {
  expect(await settled('disk.raw', false)).toEqual({ ...request(), digest: digest(FIRST!) });
  expect(await settled('other.raw', false)).toMatchObject({ digest: digest(SECOND!) });
});

it('reads the file again, unless an older digest may be used', async () => {
  await settled('disk.raw', false);
  server.answers.set('/sums', whole(SECOND!));
  expect(await settled('disk.raw', true)).toMatchObject({ digest: digest(FIRST!) });
  expect(server.asked).toHaveLength(1);
  expect(await settled('disk.raw', false)).toMatchObject({ digest: digest(SECOND!) });
  expect(await settled('disk.raw', true)).toMatchObject({ digest: digest(SECOND!) });
  expect(server.asked).toHaveLength(2);
});

it('remembers the 256 digests that were used last', async () => {
  server.answers.set('/sums', whole(FIRST!));
  await settled('image-0', false);
  await settled('image-1', false);
  await settled('image-0', true);
  for (let n = 2; n <= 256; n += 1) await settled(`image-${n}`, false);
  const asked = server.asked.length;
  await settled('image-0', true);
  expect(server.asked).toHaveLength(asked);
  await settled('image-1', true);
  expect(server.asked).toHaveLength(asked + 1);
});
