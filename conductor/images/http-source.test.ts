import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImageServer, startImageServer } from '../../test/fakes/image-server.ts';
import { type HttpOptions, isDecodable, openHttp, publicUrl, type SourceGuard } from './http-source.ts';

let server: ImageServer;
beforeAll(async () => {
  server = await startImageServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.answers.clear();
  server.asked.length = 0;
});

/** Reads the file at a URL; returns it with its length and final URL. */
async function read(url: string, more: Partial<HttpOptions> = {}) {
  const signal = new AbortController().signal;
  const source = await openHttp(url, { field: 'the_field', stallMs: 5_000, signal, ...more });
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks) parts.push(chunk);
  await source.close();
  return { text: Buffer.concat(parts).toString(), length: source.length, finalUrl: source.finalUrl };
}

/** Makes the path answer with this status and these headers. */
function answer(path: string, status: number, headers: Record<string, string> = {}): void {
  server.answers.set(path, (_, response) => {
    response.writeHead(status, headers);
    response.write('body');
    response.end();
  });
}

describe('a file', () => {
  it('is read, with its length if the server announces it', async () => {
    answer('/a', 200, { 'content-length': '4' });
    answer('/b', 200);
    const url = server.url('/a?token=secret').replace('//', '//user:pass@');
    expect(await read(url)).toEqual({ text: 'body', length: 4, finalUrl: server.url('/a') });
    expect(await read(server.url('/b'))).toMatchObject({ length: null });
  });

  it.each([
    ['user:pass', 'user:pass'],
    ['us%3Aer:p%C3%A4ss', 'us:er:päss'],
    ['user', 'user:'],
    [':pass', ':pass'],
  ])('with the credentials %s is asked for with them', async (given, sent) => {
    let authorization: string | undefined;
    server.answers.set('/a', (request, response) => {
      authorization = request.headers.authorization;
      response.end();
    });
    await read(server.url('/a').replace('//', `//${given}@`));
    expect(authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
  });
});

describe('an answer', () => {
  const location = () => ({ location: server.url('/there') });

  it.each([300, 301, 302, 303, 307, 308, 399])('with HTTP %i and a location is followed', async (status) => {
    answer('/here', status, location());
    answer('/there', 200);
    expect(await read(server.url('/here'))).toMatchObject({ text: 'body', finalUrl: server.url('/there') });
  });

  it.each([201, 299, 400, 404, 500])('with HTTP %i is an error, also with a location', async (status) => {
    answer('/here', status, location());
    answer('/there', 200);
    await expect(read(server.url('/here?secret'))).rejects.toMatchObject({
      code: 'imageFailure',
      message: expect.stringContaining(
        `the_field: ${server.url('/here')}: the server answered HTTP ${status}`,
      ),
    });
    expect(server.asked).toEqual(['GET /here?secret']);
  });

  it('is an error when a redirect has no location', async () => {
    answer('/here', 302);
    await expect(read(server.url('/here'))).rejects.toThrow('the server answered HTTP 302');
  });

  it('follows five redirects, also relative ones', async () => {
    for (let n = 0; n < 5; n += 1) answer(`/${n}`, 302, { location: `/${n + 1}` });
    answer('/5', 200);
    expect((await read(server.url('/0'))).finalUrl).toBe(server.url('/5'));
    answer('/5', 302, { location: '/6' });
    answer('/6', 200);
    await expect(read(server.url('/0'))).rejects.toThrow(`${server.url('/0')} redirects more than 5 times`);
  });
});

describe('a guard', () => {
  const guard = (own: Partial<SourceGuard>): { guard: SourceGuard } => ({
    guard: { checkUrl: () => undefined, isAllowed: () => true, ...own },
  });

  it('checks the URL and every redirect target', async () => {
    answer('/here', 302, { location: '/there' });
    const seen: string[] = [];
    const checkUrl = (url: URL): void => {
      seen.push(url.pathname);
      if (url.pathname === '/there') throw new Error('not there');
    };
    await expect(read(server.url('/here'), guard({ checkUrl }))).rejects.toThrow('not there');
    expect([seen, server.asked]).toEqual([['/here', '/there'], ['GET /here']]);
  });

  it('checks addresses in URLs and addresses of names before a connection', async () => {
    answer('/a', 200);
    const named = server.url('/a').replace('127.0.0.1', 'localhost');
    const seen = new Set<string>();
    const none = guard({
      isAllowed: (address) => {
        seen.add(address);
        return false;
      },
    });
    for (const url of [server.url('/a'), named])
      await expect(read(url, none)).rejects.toThrow('images may not be fetched from its address');
    expect(seen).toContain('127.0.0.1');
    expect(server.asked).toEqual([]);
    const loopback = guard({ isAllowed: (address) => address === '127.0.0.1' });
    for (const url of [server.url('/a'), named]) expect((await read(url, loopback)).text).toBe('body');
  });
});

it('a cancelled request ends with the reason of the cancellation', async () => {
  const stop = new AbortController();
  server.answers.set('/never', () => stop.abort(new Error('enough')));
  await expect(read(server.url('/never'), { signal: stop.signal })).rejects.toThrow('enough');
});

it('a public URL has neither credentials nor query', () => {
  expect(publicUrl('https://user:pass@host:8443/a/b?token=secret#part')).toBe('https://host:8443/a/b');
});

it.each([
  ['http://host/%C3%A4', true],
  ['http://host/%', false],
  ['http://host/%ff', false],
])('%s can be decoded: %s', (url, expected) => {
  expect(isDecodable(url)).toBe(expected);
});
