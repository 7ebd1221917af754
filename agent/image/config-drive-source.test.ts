import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ImageServer, startImageServer, type Turn } from '../../test/fakes/agent/image-server.ts';
import { MAX_CONFIG_DRIVE_BYTES, readConfigDrive } from './config-drive-source.ts';

const DRIVE = randomBytes(1000);
const TEXT = gzipSync(DRIVE).toString('base64');

const MOST = 64 * 1024;

const read = (value: string, signal = new AbortController().signal): Promise<Buffer> =>
  readConfigDrive(value, signal, MOST);

async function serve(text: string, turns: readonly Turn[] = []): Promise<ImageServer> {
  const server = await startImageServer(Buffer.from(text), turns);
  onTestFinished(server.close);
  return server;
}

describe('base64 of gzip', () => {
  it('is unpacked, with or without line breaks', async () => {
    expect(await read(TEXT)).toEqual(DRIVE);
    expect(await read(TEXT.replace(/.{76}/g, '$&\n'))).toEqual(DRIVE);
  });

  it('may be as long as the limit; the error contains both sizes', async () => {
    expect(MAX_CONFIG_DRIVE_BYTES).toBe(64 * 1024 * 1024);
    const zipped = (bytes: number): string => gzipSync(Buffer.alloc(bytes)).toString('base64');
    expect((await read(zipped(MOST))).length).toBe(MOST);
    await expect(read(zipped(MOST + 1))).rejects.toThrow(
      'the configdrive is 65537 bytes (0.1 MiB), more than the limit of 65536 bytes (0.1 MiB): give less user_data',
    );
  });

  it.each([
    'not base64 at all!',
    '{"meta_data": {}}',
    Buffer.from('plain').toString('base64'),
    TEXT.slice(0, 80),
  ])('is what it must be: %s', async (value) => {
    await expect(read(value)).rejects.toThrow('the configdrive is not base64 of a gzip file');
  });
});

describe('the URL of such a text', () => {
  it('is fetched, also through a redirect', async () => {
    const { url } = await serve(TEXT, [{}, { status: 302, headers: { location: '/drive' } }]);
    expect(await read(url)).toEqual(DRIVE);
    expect(await read(url)).toEqual(DRIVE);
  });

  it('that answers with an error is reported without its secrets', async () => {
    const { url } = await serve(TEXT, [{ status: 404 }]);
    await expect(read(`${url}?token=secret`)).rejects.toThrow(
      new RegExp(`^the configdrive's URL ${url} answered HTTP 404$`),
    );
  });

  it('that sends too much is aborted', async () => {
    const { url } = await serve('A'.repeat(1.5 * MOST + 1));
    await expect(read(url)).rejects.toThrow(/sends more than 98304 bytes \(0\.1 MiB\)/);
  });

  it('that no server answers is reported', async () => {
    const server = await startImageServer(Buffer.alloc(0));
    await server.close();
    await expect(read(server.url)).rejects.toThrow(
      /^the configdrive's URL .* could not be fetched: .*refused/,
    );
  });

  it('ends when the command is aborted', async () => {
    const { url } = await serve(TEXT, [{ stallAfter: 3 }]);
    await expect(read(url, AbortSignal.timeout(50))).rejects.toThrow('aborted due to timeout');
  });
});
