import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogFlush } from './log-flush.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ingot-log-flush-'));
  path = join(directory, 'x.db-wal');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The file descriptor that the next opened file gets. */
function nextDescriptor(): number {
  const probe = openSync(directory, 'r');
  closeSync(probe);
  return probe;
}

it('opens the log at the first flush, and once', async () => {
  const log = createLogFlush(path);
  writeFileSync(path, 'committed');
  const descriptor = nextDescriptor();
  await log.flush();
  await log.flush();
  expect(fstatSync(descriptor).size).toBe('committed'.length);
  expect(nextDescriptor()).not.toBe(descriptor);
  log.close();
  expect(nextDescriptor()).toBe(descriptor);
});

it('fails when there is no log, and works when there is one', async () => {
  const log = createLogFlush(path);
  await expect(log.flush()).rejects.toMatchObject({ code: 'ENOENT' });
  writeFileSync(path, '');
  await log.flush();
  log.close();
});

it('tells when the log could not be flushed', async () => {
  const log = createLogFlush(path);
  writeFileSync(path, '');
  await log.flush();
  log.close();
  await expect(log.flush()).rejects.toMatchObject({ code: 'EBADF' });
});

it('has nothing to close before the first flush', () => {
  expect(() => createLogFlush(path).close()).not.toThrow();
});
