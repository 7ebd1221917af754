import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImageServer, startImageServer } from '../../test/fakes/image-server.ts';
import { type Prefix, parsePrefix } from '../domain/ip-address.ts';
import type { OpenOptions } from '../domain/outbound/outbound.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { createOutbound } from './outbound.ts';

let server: ImageServer;
beforeAll(async () => {
  server = await startImageServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.answers.clear();
  server.asked.length = 0;
});

const outboundTo = (...allow: string[]) =>
  createOutbound({
    rules: () => ({
      allow: allow.map((text) => parsePrefix(text) as Prefix),
      own: ['127.0.0.1'],
      ownPorts: [],
    }),
    bmcHosts: async () => ['bmc.test', '8.8.8.8'],
  });

async function read(url: string, options: Partial<OpenOptions> = {}, outbound = outboundTo('127.0.0.1')) {
  const { signal } = new AbortController();
  const answer = await outbound.open(url, { signal, stallMs: 5_000, maxRedirects: 3, ...options });
  const parts: Buffer[] = [];
  for await (const part of answer.body) parts.push(part);
  await answer.close();
  return { status: answer.status, text: Buffer.concat(parts).toString(), finalUrl: answer.finalUrl };
}

function answer(path: string, status: number, headers: Record<string, string> = {}): void {
  server.answers.set(path, (_, response) => void response.writeHead(status, headers).end('body'));
}

describe('a request', () => {
  it('to an address that is not allowed is not sent', async () => {
    answer('/a', 200);
    for (const url of [server.url('/a'), server.url('/a').replace('127.0.0.1', 'localhost')])
      await expect(read(url, {}, outboundTo('10.0.0.0/8'))).rejects.toThrow('outbound.allow');
    await expect(read('http://bmc.test/')).rejects.toThrow("name of a node's BMC");
    await expect(read('http://[::ffff:169.254.169.254]/')).rejects.toThrow('metadata');
    expect(server.asked).toEqual([]);
  });

  it('is judged early by its own address only', async () => {
    const refusal = (url: string) => outboundTo('127.0.0.1').refusal(new URL(url));
    expect(refusal('http://10.0.0.1/')).toContain('a private address');
    for (const url of ['http://127.0.0.1/', 'http://8.8.8.8/', 'http://bmc.test/', 'http://localhost/'])
      expect(refusal(url)).toBeUndefined();
    await expect(outboundTo().checkAddress(new URL('http://8.8.8.8/'))).rejects.toThrow("node's BMC");
  });

  it('to an allowed address is sent', async () => {
    answer('/a', 200);
    for (const url of [server.url('/a'), server.url('/a').replace('127.0.0.1', 'localhost')])
      expect(await read(url)).toMatchObject({ status: 200, text: 'body', finalUrl: url });
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:,x'])('to %s is not sent', async (url) => {
    await expect(read(url)).rejects.toThrow('not http or https');
  });
});

describe('a redirect', () => {
  it.each([
    ['http://10.0.0.1/', 'a private address'],
    ['http://[::1]:1/', "conductor's own"],
    ['//2130706434/', "127.0.0.2 is one of the conductor's own"],
    ['file:///etc/passwd', 'not http or https'],
    ['http://:x', 'not a URL'],
  ])('to %s is refused', async (location, why) => {
    answer('/here', 302, { location });
    await expect(read(server.url('/here'))).rejects.toThrow(why);
    expect(server.asked).toEqual(['GET /here']);
  });

  it('carries neither headers nor credentials to another origin', async () => {
    const seen: Record<string, unknown>[] = [];
    server.answers.set('/here', ({ headers }, response) => {
      seen.push(headers);
      response.writeHead(302, { location: server.url('/there').replace('127.0.0.1', 'localhost') }).end();
    });
    server.answers.set('/there', ({ headers }, response) => {
      seen.push(headers);
      response.end();
    });
    await read(server.url('/here').replace('//', '//ada:secret@'), { headers: { 'x-key': 'k' } });
    expect(seen[0]).toMatchObject({ authorization: expect.any(String), 'x-key': 'k' });
    expect(seen[1]).not.toHaveProperty('authorization');
    expect(seen[1]).not.toHaveProperty('x-key');
  });

  it('is checked by the caller, and limited', async () => {
    answer('/here', 302, { location: '/here' });
    await expect(read(server.url('/here'))).rejects.toThrow('redirects more than 3 times');
    const checkUrl = (url: URL): void => {
      if (server.asked.length > 4) throw new Error(`not ${url.pathname}`);
    };
    await expect(read(server.url('/here'), { checkUrl })).rejects.toThrow('not /here');
    expect(await read(server.url('/here'), { maxRedirects: 0 })).toMatchObject({ status: 302 });
  });
});

describe('a name', () => {
  const judge = (address: string) => (address.startsWith('10.') ? `${address} is private` : undefined);
  const resolving = (...addresses: string[]) =>
    guardedLookup(judge, ((_: string, __: object, done: (error: null, found: LookupAddress[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )) as never);
  const look = (addresses: string[], all: boolean) =>
    new Promise((resolve, reject) => {
      resolving(...addresses)('images.test', { all }, (error, found) =>
        error ? reject(error) : resolve(found),
      );
    });

  it('leads to its allowed addresses only', async () => {
    expect(await look(['10.0.0.1', '1.1.1.1'], true)).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await look(['10.0.0.1', '1.1.1.1'], false)).toBe('1.1.1.1');
    await expect(look(['10.0.0.1'], true)).rejects.toThrow('images.test has the address 10.0.0.1 is private');
    await expect(look([], true)).rejects.toThrow('has no address');
  });
});
