import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSymmetricKey } from './own-key.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-own-key-'));
  path = join(dir, 'data', 'own.key');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const read = () => readSymmetricKey(path, 'All is lost');

it('a key is made at its first use, for its owner only, and stays', () => {
  const key = read();
  expect(key).toHaveLength(32);
  expect(read()).toEqual(key);
  expect(readFileSync(path)).toEqual(key);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a key that others can read is refused', () => {
  read();
  chmodSync(path, 0o640);
  expect(read).toThrow(
    `${path} can be read by other users: delete it, and the conductor makes a new key. All is lost`,
  );
});

it('a file with something else is refused', () => {
  read();
  writeFileSync(path, 'short');
  expect(read).toThrow(
    'does not contain a key of 32 bytes: delete it, and the conductor makes a new one. All is lost',
  );
});
