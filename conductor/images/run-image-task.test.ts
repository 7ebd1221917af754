/** Tasks in real worker threads. */
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawDisk } from '../../test/fakes/image-files.ts';
import { manyTables, qcow2Image } from '../../test/fakes/qcow2-image.ts';
import { RefusedImage } from './refused-image.ts';
import { runImageTask } from './run-image-task.ts';

const MEBI = 1024 * 1024;
const limits = { signal: new AbortController().signal, limitMs: 20_000 };
let dir: string;
const at = (name: string): string => join(dir, name);
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-task-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const write = (name: string, data: Buffer): string => {
  writeFileSync(at(name), data);
  return at(name);
};

describe('a task', () => {
  it('returns what it found', async () => {
    const disk = rawDisk();
    const path = write('raw', disk);
    expect(await runImageTask({ name: 'inspect', args: [path, disk.length, 'raw'] }, limits)).toEqual({
      format: 'raw',
      virtualSize: disk.length,
    });
    const qcow2 = qcow2Image();
    expect(
      await runImageTask({ name: 'examine', args: [write('qcow2', qcow2), qcow2.length, 'raw'] }, limits),
    ).toEqual({ ok: false, reason: 'disk_format says raw, but the data is qcow2' });
  });

  it('unpacks a qcow2, with holes where it has zeros', async () => {
    const qcow2 = qcow2Image().fill(7, 3 * 65_536);
    await runImageTask({ name: 'unpack', args: [write('qcow2', qcow2), at('disk'), MEBI] }, limits);
    const expected = Buffer.alloc(MEBI).fill(7, 0, 65_536);
    expect(readFileSync(at('disk')).equals(expected)).toBe(true);
    expect(statSync(at('disk')).blocks * 512).toBeLessThan(MEBI / 2);
  });

  it('refuses an image with the reason, and a disk that is too large', async () => {
    const cut = write('cut', qcow2Image().subarray(0, 200_000));
    await expect(runImageTask({ name: 'unpack', args: [cut, at('disk'), MEBI] }, limits)).rejects.toThrow(
      RefusedImage,
    );
    const whole = write('qcow2', qcow2Image());
    await expect(
      runImageTask({ name: 'unpack', args: [whole, at('disk'), MEBI - 1] }, limits),
    ).rejects.toThrow('it contains a disk of 1,048,576 bytes; the limit is 1,048,575 bytes');
  });

  it('fails when its file is not there', async () => {
    await expect(
      runImageTask({ name: 'examine', args: [at('absent'), 1, 'raw'] }, limits),
    ).rejects.toMatchObject({
      code: 'imageFailure',
      message: expect.stringContaining('ENOENT'),
    });
  });
});

describe('a task that takes long', () => {
  /** Has 2^20 L2 tables, most of them in a hole of the file. */
  function large(): [string, number] {
    const { head, bytes } = manyTables(2 ** 20);
    write('large', head);
    truncateSync(at('large'), bytes);
    return [at('large'), bytes];
  }

  it('is ended after its time', async () => {
    const [path, bytes] = large();
    const running = runImageTask({ name: 'inspect', args: [path, bytes] }, { ...limits, limitMs: 300 });
    await expect(running).rejects.toThrow('reading it did not end within 0.3 s');
  });

  it('is ended by its signal, and the event loop is free meanwhile', async () => {
    const controller = new AbortController();
    const [path, bytes] = large();
    const running = runImageTask(
      { name: 'inspect', args: [path, bytes] },
      { ...limits, signal: controller.signal },
    );
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 10);
    setTimeout(() => controller.abort(new Error('enough')), 500);
    await expect(running).rejects.toThrow('enough');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    await expect(
      runImageTask({ name: 'inspect', args: [path, bytes] }, { ...limits, signal: controller.signal }),
    ).rejects.toThrow('enough');
  });
});
