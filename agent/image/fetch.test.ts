import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ImageServer, startImageServer, type Turn } from '../../test/fakes/agent/image-server.ts';
import { SourceChanged } from './download-error.ts';
import { type FetchSettings, openDownload } from './fetch.ts';

vi.mock(import('node:timers/promises'), async (original) => {
  const timers = await original();
  return { ...timers, setTimeout: vi.fn(timers.setTimeout) as unknown as typeof timers.setTimeout };
});

const FILE = randomBytes(1_000_000);

async function serve(turns: readonly Turn[], file = FILE): Promise<ImageServer> {
  const server = await startImageServer(file, turns);
  onTestFinished(server.close);
  return server;
}

function settings(more: Partial<FetchSettings> = {}): FetchSettings {
  return {
    retries: 2,
    retryMs: 1,
    timeoutMs: 5_000,
    deadlineMs: 30_000,
    signal: new AbortController().signal,
    onRetry: () => undefined,
    ...more,
  };
}

/** Downloads the file; returns whether it is complete and correct. */
async function fetchAll(url: string, more: Partial<FetchSettings> = {}): Promise<boolean> {
  const parts: Buffer[] = [];
  for await (const part of openDownload(url, settings(more)).bytes) parts.push(part);
  return Buffer.concat(parts).equals(FILE);
}

describe('an interrupted transfer', () => {
  it('continues at the byte where it stopped', async () => {
    const server = await serve([{ cutAfter: 300_000 }, { cutAfter: 200_000 }]);
    const retries: string[] = [];
    expect(await fetchAll(server.url, { onRetry: (text) => retries.push(text) })).toBe(true);
    const starts = server.requests.map(({ range }) => range);
    expect(starts).toHaveLength(3);
    expect(starts[0]).toBeUndefined();
    expect(Number(/^bytes=(\d+)-$/.exec(starts[1] ?? '')?.[1])).toBeGreaterThan(0);
    expect(retries[0]).toMatch(/\/image broke off after \d+ bytes: .+; trying again$/);
  });

  it('counts only tries without a byte', async () => {
    const cuts: Turn[] = Array.from({ length: 8 }, () => ({ cutAfter: 100_000 }));
    expect(await fetchAll((await serve(cuts)).url)).toBe(true);
  });

  it('never mixes two files: another ETag is an error', async () => {
    const server = await serve([{ cutAfter: 300_000 }, { file: randomBytes(FILE.length), etag: '"second"' }]);
    await expect(fetchAll(server.url)).rejects.toThrow(SourceChanged);
  });

  it('never mixes two files: without an ETag another length is an error', async () => {
    const shorter = [{ cutAfter: 300_000, etag: null }, { file: FILE.subarray(1) }];
    await expect(fetchAll((await serve(shorter)).url)).rejects.toThrow(SourceChanged);
    const gone = [{ cutAfter: 300_000, etag: null }, { file: FILE.subarray(0, 10) }];
    await expect(fetchAll((await serve(gone)).url)).rejects.toThrow(SourceChanged);
  });

  it('reports a server that can not resume', async () => {
    const server = await serve([{ cutAfter: 300_000 }, { ignoresRange: true }]);
    await expect(fetchAll(server.url)).rejects.toThrow(
      /has changed since the transfer began, or cannot resume/,
    );
  });

  it('rejects a range that it did not request', async () => {
    const wrong = { cutAfter: 300_000 };
    const server = await serve([wrong, { headers: { 'content-range': 'bytes 0-9/1000000' } }]);
    await expect(fetchAll(server.url)).rejects.toThrow(/was asked for bytes from \d+ and sent others/);
  });
});

describe('a source that does not answer', () => {
  it('is asked again only after the pause between tries', async () => {
    const server = await serve([{ status: 503 }]);
    const asked: number[] = [];
    vi.mocked(sleep).mockImplementationOnce(async (ms) => {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      asked.push(ms ?? 0, server.requests.length);
    });
    expect(await fetchAll(server.url, { retryMs: 7 })).toBe(true);
    expect([...asked, server.requests.length]).toEqual([7, 1, 2]);
  });

  it.each([
    [404, 'answered HTTP 404: there is no such file'],
    [403, 'answered HTTP 403: it refuses access'],
    [400, 'answered HTTP 400'],
  ])('with HTTP %i is final', async (status, said) => {
    const server = await serve([{ status }]);
    await expect(fetchAll(`${server.url}?token=secret`)).rejects.toThrow(said);
    await expect(fetchAll(`${server.url}?token=secret`)).resolves.toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  it.each([500, 503, 429, 408])('with HTTP %i is tried again', async (status) => {
    expect(await fetchAll((await serve([{ status }])).url)).toBe(true);
  });

  it('fails after its tries, without the secrets of its URL', async () => {
    const server = await serve(Array.from({ length: 3 }, () => ({ status: 503 })));
    const url = server.url.replace('//', '//me:password@');
    const error = await fetchAll(`${url}?token=secret`).catch((failure: Error) => failure.message);
    expect(error).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/image broke off after 0 bytes: .* answered HTTP 503; gave up after 3 tries without a byte$/,
    );
  });

  it('because the port is closed is reported', async () => {
    const server = await startImageServer(FILE);
    await server.close();
    await expect(fetchAll(server.url)).rejects.toThrow(
      /the connection was refused: is the image server running.*gave up after 3 tries/,
    );
  });

  it.each([
    ['before it answers', -1, 'it stalled before it answered'],
    ['on its way', 1000, 'it stalled'],
  ])('since it stalls %s is told so', async (_when, stallAfter, said) => {
    const server = await serve(Array.from({ length: 2 }, () => ({ stallAfter })));
    await expect(fetchAll(server.url, { timeoutMs: 60, retries: 0 })).rejects.toThrow(said);
  });

  it('in time fails', async () => {
    const server = await serve([{ stallAfter: 1000 }]);
    await expect(fetchAll(server.url, { deadlineMs: 100 })).rejects.toThrow(
      /brought 1000 of 1000000 bytes in the 0.1 s a transfer may take/,
    );
  });

  it('ends when the command is aborted', async () => {
    const server = await serve([{ stallAfter: 1000 }]);
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of openDownload(server.url, settings({ signal: abort.signal })).bytes)
        abort.abort(new Error('no longer wanted'));
    })();
    await expect(reading).rejects.toThrow('no longer wanted');
  });
});

describe('redirects', () => {
  it('are followed, also to a relative place', async () => {
    const server = await serve([
      { status: 302, headers: { location: '/other' } },
      { status: 307, headers: { location: '/third?signed' } },
    ]);
    expect(await fetchAll(server.url)).toBe(true);
    expect(server.requests.map(({ path }) => path)).toEqual(['/image', '/other', '/third?signed']);
  });

  it('end somewhere', async () => {
    const round = { status: 301, headers: { location: '/image' } };
    const server = await serve(Array.from({ length: 20 }, () => round));
    await expect(fetchAll(server.url)).rejects.toThrow('redirects more than 5 times');
    expect(server.requests).toHaveLength(6);
  });

  it.each<Record<string, string>>([{ location: 'file:///etc/shadow' }, { location: 'http://' }, {}])(
    'are refused with %j',
    async (headers) => {
      const server = await serve([{ status: 302, headers }]);
      await expect(fetchAll(server.url)).rejects.toThrow('redirects to no http(s) URL');
    },
  );
});

it('knows the length after the first answer, if the source announces it', async () => {
  const told = openDownload((await serve([])).url, settings());
  expect(told.lengthBytes()).toBeNull();
  for await (const _ of told.bytes) expect(told.lengthBytes()).toBe(FILE.length);
  const untold = openDownload((await serve([{ chunked: true }])).url, settings());
  for await (const _ of untold.bytes) expect(untold.lengthBytes()).toBeNull();
});
