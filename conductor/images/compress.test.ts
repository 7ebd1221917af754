/**
 * With a fake setpriv, which records how it was called and ends as the test specifies; compress.protocol.test.ts has
 * the real one.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compress, sha256 } from './compress.ts';

const path = process.env['PATH'];
const never = new AbortController().signal;
let dir: string;

/** setpriv runs this shell text instead of the program. */
const ends = (text: string): Promise<void> =>
  writeFile(join(dir, 'setpriv'), `#!/bin/sh\necho "$*" > ${dir}/called\n${text}\n`, { mode: 0o755 });
const called = async (): Promise<string> => (await readFile(join(dir, 'called'), 'utf8')).trim();

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-compress-'));
  process.env['PATH'] = `${dir}:${path}`;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(dir, { recursive: true, force: true });
});

describe('the programs that prepare an image', () => {
  it('end with the conductor and have a lower priority', async () => {
    await ends('exit 0');
    await compress('/raw', '/zst', never);
    expect(await called()).toBe('--pdeathsig KILL prlimit --core=0 nice -n 5 zstd -q -f -3 -T0 /raw -o /zst');
  });

  it.each(['', '\\\\'])('return the digest of a file with %j in its name', async (prefix) => {
    await ends(`echo '${prefix}${'ab'.repeat(32)} *file'`);
    expect(await sha256('/file', never)).toBe('ab'.repeat(32));
  });

  it('must return a digest', async () => {
    await ends('echo nothing');
    await expect(sha256('/file', never)).rejects.toThrow('sha256sum printed no digest');
  });

  it.each([
    ['exit 127', 'the program zstd is not installed'],
    ["echo 'zstd: No space left on device' >&2; exit 1", "the conductor's disk is full"],
    ["echo 'it broke' >&2; exit 1", 'preparing the image failed in zstd: it broke'],
    ['exit 3', 'Command failed with exit code 3'],
  ])('that end by %j fail with the reason', async (text, reason) => {
    await ends(text);
    await expect(compress('/raw', '/zst', never)).rejects.toMatchObject({
      code: 'imageFailure',
      message: expect.stringContaining(reason),
    });
  });

  it('need setpriv', async () => {
    process.env['PATH'] = dir;
    await expect(compress('/raw', '/zst', never)).rejects.toThrow(
      'the program setpriv (Debian package util-linux) is not installed',
    );
  });

  it('are ended by the signal, and fail with its reason', async () => {
    await ends('exec sleep 60');
    const controller = new AbortController();
    const running = compress('/raw', '/zst', controller.signal);
    controller.abort(new Error('no longer wanted'));
    await expect(running).rejects.toThrow('no longer wanted');
  });
});
