/**
 * The key that signs our tokens. It is generated at the first start and kept in a file that only the conductor's user
 * can read.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const KEY_BYTES = 32;
const OTHERS = 0o077;

/**
 * Throws when the file contains no key or when other users can read it: anyone who can read the key can forge tokens.
 */
export function readTokenKey(path: string): Buffer {
  makeKey(path);
  if ((statSync(path).mode & OTHERS) !== 0) {
    throw new Error(
      `${path} can be read by other users: delete it, and the conductor generates a new key. All tokens become invalid`,
    );
  }
  const key = readFileSync(path);
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `${path} does not contain a key of ${KEY_BYTES} bytes: delete it, and the conductor generates a new key`,
    );
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
