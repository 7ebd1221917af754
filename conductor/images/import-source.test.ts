import { afterAll, beforeAll, expect, it } from 'vitest';
import { cut, type ImageServer, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { openForImport } from './import-source.ts';

const IMAGE = Buffer.alloc(100_000, 1);

let server: ImageServer;
beforeAll(async () => {
  server = await startImageServer({ '/image': whole(IMAGE), '/cut': cut(IMAGE) });
});
afterAll(() => server.close());

async function read(path: string, signal = new AbortController().signal): Promise<number> {
  const source = await openForImport(server.url(path), {
    outbound: loopbackOutbound,
    stallMs: 5_000,
    signal,
  });
  let bytes = 0;
  try {
    for await (const chunk of source.chunks) bytes += chunk.length;
  } finally {
    await source.close();
  }
  return bytes;
}

it('the file is read with its length', async () => {
  expect(await read('/image')).toBe(IMAGE.length);
});

it.each([
  [
    'is missing',
    '/gone?secret',
    /^uri: http:\/\/127\.0\.0\.1:\d+\/gone\?\*{6}: the server answered HTTP 404/,
  ],
  [
    'breaks off',
    '/cut?secret',
    /^uri: http:\/\/127\.0\.0\.1:\d+\/cut\?\*{6} broke off after 50000 bytes: the connection/,
  ],
])('an error names the field of the request when the file %s', async (_, path, message) => {
  await expect(read(path)).rejects.toMatchObject({
    code: 'imageFailure',
    message: expect.stringMatching(message),
  });
});

it('a cancelled import ends with the reason of that', async () => {
  const stop = new AbortController();
  server.answers.set('/begun', (_, response) => {
    response.writeHead(200).write('first');
    setImmediate(() => stop.abort(new Error('the image was deleted')));
  });
  await expect(read('/begun', stop.signal)).rejects.toThrow('the image was deleted');
});
