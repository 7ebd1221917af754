import { MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DownloadError, FinalDownloadError, SourceChanged } from './download-error.ts';
import { openTransfer, type Position } from './transfer.ts';

const HOST = 'http://images.test';
const BEGIN: Position = { received: 0, totalBytes: null, validator: null };
const HALF: Position = { received: 4, totalBytes: 8, validator: '"one"' };

let network: MockAgent;
let asked: Record<string, string>[];
beforeEach(() => {
  asked = [];
  network = new MockAgent();
  network.disableNetConnect();
});
afterEach(() => network.close());

/** The next answer of the image server. */
function answer(statusCode: number, headers: Record<string, string> = {}, path = '/image'): void {
  network
    .get(HOST)
    .intercept({ path })
    .reply((request) => {
      asked.push(request.headers as Record<string, string>);
      return { statusCode, data: 'data', responseOptions: { headers } };
    });
}

const open = (position = BEGIN, path = '/image') =>
  openTransfer(`${HOST}${path}`, position, {
    dispatcher: network,
    timeoutMs: 1_000,
    signal: new AbortController().signal,
  });

/** Length and validator after this answer to a transfer from `position`. */
async function known(position: Position, statusCode: number, headers: Record<string, string>) {
  answer(statusCode, headers);
  const { totalBytes, validator } = await open(position);
  return [totalBytes, validator];
}

describe('a transfer from the beginning', () => {
  it.each<[Record<string, string>, number | null, string | null]>([
    [{ 'content-length': '4', etag: '"one"', 'last-modified': 'Monday' }, 4, '"one"'],
    [{ etag: 'W/"one"', 'last-modified': 'Monday' }, null, 'Monday'],
    [{ etag: 'W/"one"' }, null, null],
    [{}, null, null],
  ])('learns from %j the length %s and the validator %s', async (headers, length, validator) => {
    expect(await known(BEGIN, 200, headers)).toEqual([length, validator]);
    expect(asked).toMatchObject([{ 'accept-encoding': 'identity' }]);
    expect(Object.keys(asked[0]!)).not.toContain('range');
  });

  it.each([206, 416])('treats HTTP %i as final', async (status) => {
    answer(status);
    const error = await open().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FinalDownloadError);
    expect(error).not.toBeInstanceOf(SourceChanged);
    expect((error as Error).message).toBe(`${HOST}/image answered HTTP ${status}`);
  });
});

describe('a transfer that resumes', () => {
  const range = (total: string, from = 4) => ({ 'content-range': `bytes ${from}-7/${total}` });

  it('asks for the rest of the same file', async () => {
    expect(await known(HALF, 206, { ...range('8'), etag: '"one"' })).toEqual([8, '"one"']);
    expect(asked).toMatchObject([{ range: 'bytes=4-', 'if-range': '"one"' }]);
  });

  it('asks for the rest of any file when it knows no validator', async () => {
    expect(await known({ ...HALF, validator: null }, 206, { ...range('8'), etag: '"new"' })).toEqual([
      8,
      null,
    ]);
    expect(Object.keys(asked[0]!)).not.toContain('if-range');
  });

  it.each<[string, Position, Record<string, string>]>([
    ['whose length is not known to either', { ...HALF, totalBytes: null }, range('*')],
    ['whose length only the answer knows', { ...HALF, totalBytes: null }, range('9')],
    ['whose length only we know', HALF, range('*')],
    ['without a validator in the answer', HALF, range('8')],
  ])('takes a file %s', async (_, position, headers) => {
    expect(await known(position, 206, headers)).toEqual([position.totalBytes, position.validator]);
  });

  it.each<[string, number, Record<string, string>]>([
    ['has another length', 206, range('9')],
    ['has another validator', 206, { ...range('8'), etag: '"two"' }],
    ['comes whole', 200, {}],
    ['is shorter', 416, {}],
  ])('tells that a file has changed that %s', async (_, status, headers) => {
    answer(status, headers);
    await expect(open(HALF)).rejects.toThrow(SourceChanged);
  });

  it.each([range('8', 5), {}])('rejects other bytes than the requested ones: %j', async (headers) => {
    answer(206, headers);
    await expect(open(HALF)).rejects.toThrow('was asked for bytes from 4 and sent others');
  });
});

describe('a refusal', () => {
  it.each([
    [500, DownloadError],
    [599, DownloadError],
    [408, DownloadError],
    [425, DownloadError],
    [429, DownloadError],
    [499, FinalDownloadError],
    [404, FinalDownloadError],
    [204, FinalDownloadError],
  ])('with HTTP %i is a %o', async (status, kind) => {
    answer(status);
    const error = await open().catch((thrown: Error) => thrown);
    expect((error as Error).constructor).toBe(kind);
  });
});

describe('redirects', () => {
  const to = (location: string, path: string) => answer(302, { location }, path);

  it('are followed up to five times', async () => {
    for (let n = 0; n < 5; n += 1) to(`/${n + 1}`, `/${n}`);
    answer(200, {}, '/5');
    expect(await open(BEGIN, '/0')).toMatchObject({ totalBytes: null });
    for (let n = 0; n < 6; n += 1) to(`/${n + 1}`, `/${n}`);
    await expect(open(BEGIN, '/0')).rejects.toThrow(`${HOST}/0 redirects more than 5 times`);
  });

  it('include the range, and errors name their target', async () => {
    to('/other?secret', '/image');
    answer(404, {}, '/other?secret');
    await expect(open(HALF)).rejects.toThrow(`${HOST}/other answered HTTP 404: there is no such file`);
    expect(asked.map((headers) => headers['range'])).toEqual(['bytes=4-', 'bytes=4-']);
  });
});
