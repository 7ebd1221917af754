import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseRange, sendFile } from './file-response.ts';

const CONTENT = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7) & 0xff));
const SIZE = CONTENT.length;

let dir: string;
let app: FastifyInstance;
let port: number;
let done: number[];
const at = (name: string) => join(dir, name);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-file-response-'));
  app = fastify();
  app.get('/:name', (request, reply) =>
    sendFile(request, reply, at((request.params as { name: string }).name), {
      onDone: (bytes) => done.push(bytes),
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  done = [];
  await writeFile(at('file'), CONTENT);
  await writeFile(at('empty'), '');
});

const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${port}/${name}`, { headers, method });
const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const isOpen = (name: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === at(name);
    } catch {
      return false; // closed since it was listed
    }
  });
const closed = (name: string) => vi.waitUntil(() => !isOpen(name), { timeout: 10_000, interval: 5 });

describe('sendFile', () => {
  it('sends a whole file, reports the end and closes the file', async () => {
    const answer = await get('file');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': String(SIZE),
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      etag: expect.stringMatching(/^"[0-9a-f]+-[0-9a-f]+"$/),
    });
    expect((await bodyOf(answer)).equals(CONTENT)).toBe(true);
    await closed('file');
    expect(done).toEqual([SIZE]);
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=2999990-', SIZE - 10, SIZE - 1],
    ['bytes=-5', SIZE - 5, SIZE - 1],
    ['bytes=-9999999', 0, SIZE - 1],
    ['bytes=100-99999999999999999999', 100, SIZE - 1],
  ])('sends the part %s', async (range, start, end) => {
    const answer = await get('file', { range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${SIZE}`);
    expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
    expect((await bodyOf(answer)).equals(CONTENT.subarray(start, end + 1))).toBe(true);
    await closed('file');
  });

  it('does not report the end after a range that ends earlier', async () => {
    await bodyOf(await get('file', { range: 'bytes=0-9' }));
    await closed('file');
    expect(done).toEqual([]);
  });

  it.each([`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0', 'bytes=9-5'])(
    'refuses the part %s',
    async (range) => {
      const answer = await get('file', { range });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${SIZE}`]);
      expect((await bodyOf(answer)).length).toBe(0);
      await closed('file');
    },
  );

  it.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b', 'bytes=-', 'nonsense'])(
    'sends the whole file for the range %s, which it may pass over',
    async (range) => {
      const answer = await get('file', { range });
      expect(answer.status).toBe(200);
      expect((await bodyOf(answer)).length).toBe(SIZE);
    },
  );

  it('sends a range only of the file that the client knows', async () => {
    const range = 'bytes=1000-';
    const etag = (await get('file', {}, 'HEAD')).headers.get('etag') ?? '';
    const same = await get('file', { range, 'if-range': etag });
    expect([same.status, (await bodyOf(same)).length]).toEqual([206, SIZE - 1000]);
    for (const other of ['"0-0"', `W/${etag}`, new Date().toUTCString()]) {
      const answer = await get('file', { range, 'if-range': other });
      expect([answer.status, (await bodyOf(answer)).length], other).toEqual([200, SIZE]);
    }
    await writeFile(at('file'), CONTENT.subarray(1));
    const changed = await get('file', { range, 'if-range': etag });
    expect([changed.status, (await bodyOf(changed)).length]).toEqual([200, SIZE - 1]);
    await closed('file');
  });

  it('answers HEAD with the full length and without a body, also with a range', async () => {
    for (const headers of [{}, { range: 'bytes=5-9' }]) {
      const answer = await get('file', headers as Record<string, string>, 'HEAD');
      expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(SIZE)]);
      expect((await bodyOf(answer)).length).toBe(0);
    }
    await closed('file');
    expect(done).toEqual([]);
  });

  it('sends an empty file', async () => {
    const answer = await get('empty');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '0']);
    expect((await get('empty', { range: 'bytes=0-' })).status).toBe(416);
    await closed('empty');
  });

  it('fails without a file', async () => {
    expect((await get('none')).status).toBe(500);
  });

  it('closes the file when the client disconnects, without reporting the end', async () => {
    await truncate(at('file'), 200_000_000);
    const client = connect(port, '127.0.0.1');
    client.write('GET /file HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((arrived) => client.once('readable', arrived));
    expect(isOpen('file')).toBe(true);
    client.destroy();
    await closed('file');
    expect(done).toEqual([]);
  });

  it('continues with the opened file when it is replaced', async () => {
    const answer = await get('file');
    await writeFile(at('next'), Buffer.alloc(SIZE));
    await rename(at('next'), at('file'));
    expect((await bodyOf(answer)).equals(CONTENT)).toBe(true);
  });
});

describe('parseRange', () => {
  it('returns the content of the file', () => {
    expect(parseRange('bytes=0-4', 10)).toEqual({ start: 0, end: 4 });
    expect(parseRange('bytes=0-', 0)).toBe('outside');
    expect(parseRange('bytes=5-4', 10)).toBe('outside');
  });
});
