import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImageServer, startImageServer } from '../../test/fakes/image-server.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import { type HttpOptions, isDecodable, openHttp } from './http-source.ts';

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
  const options = { outbound: loopbackOutbound, field: 'the_field', stallMs: 5_000, signal };
  const source = await openHttp(url, { ...options, ...more });
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
    expect(await read(url)).toEqual({
      text: 'body',
      length: 4,
      finalUrl: server.url('/a?******').replace('//', '//******@'),
    });
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
        `the_field: ${server.url('/here')}?******: the server answered HTTP ${status}`,
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
    await expect(read(server.url('/0'))).rejects.toThrow(
      `${server.url('/0')} cannot be fetched: it redirects more than 5 times`,
    );
  });
});

describe('an address that is not allowed', () => {
  it('is named for operators, with the setting', async () => {
    await expect(read('http://10.0.0.1/a?secret')).rejects.toThrow(
      /the_field: http:\/\/10.0.0.1\/a\?\*{6} cannot be fetched: 10.0.0.1 is a private .*outbound.allow/,
    );
  });

  it('is not explained to guests', async () => {
    answer('/here', 302, { location: 'http://10.0.0.1/' });
    const guest = read(server.url('/here'), { forGuests: true });
    await expect(guest).rejects.toThrow('its address is not allowed');
    await expect(guest).rejects.not.toThrow('10.0.0.1');
  });
});

it('a cancelled request ends with the reason of the cancellation', async () => {
  const stop = new AbortController();
  server.answers.set('/never', () => stop.abort(new Error('enough')));
  await expect(read(server.url('/never'), { signal: stop.signal })).rejects.toThrow('enough');
});

it.each([
  ['http://host/%C3%A4', true],
  ['http://host/%', false],
  ['http://host/%ff', false],
])('%s can be decoded: %s', (url, expected) => {
  expect(isDecodable(url)).toBe(expected);
});
