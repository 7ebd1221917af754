/**
 * The key that our tokens are signed with: made at the first start, kept in a file that only we can read.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const KEY_BYTES = 32;
const OTHERS = 0o077;

/** Throws when the file can be read by others, which makes every token forgeable, or holds no key. */
export function readTokenKey(path: string): Buffer {
  makeKey(path);
  if ((statSync(path).mode & OTHERS) !== 0) {
    throw new Error(`${path} can be read by others: take it away, and a new key is made; tokens end with it`);
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES) {
    throw new Error(`${path} holds no key of ${KEY_BYTES} bytes: take it away, and a new one is made`);
  }
  return key;
}

function makeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
