/**
 * Files with a key of the conductor's own: made at the first use, readable only by the conductor's user.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface OwnKey {
  readonly path: string;
  readonly make: () => string | Buffer;
  /** What a new key ends: `All tokens become invalid`. */
  readonly loss: string;
}

const OTHERS = 0o077;

/** Throws when other users can read the file: whoever has the key can act as the conductor. */
export function readOwnKey({ path, make, loss }: OwnKey): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if ((statSync(path).mode & OTHERS) !== 0) {
    throw new Error(
      `${path} can be read by other users: delete it, and the conductor makes a new key. ${loss}`,
    );
  }
  return readFileSync(path);
}

/** The error for a file that contains something else. `wanted`: `a key of 32 bytes`. */
export const noOwnKey = ({ path, loss }: OwnKey, wanted: string, cause?: unknown): Error =>
  new Error(`${path} does not contain ${wanted}: delete it, and the conductor makes a new one. ${loss}`, {
    cause,
  });

const SYMMETRIC_BYTES = 32;

/** 32 random bytes. */
export function readSymmetricKey(path: string, loss: string): Buffer {
  const own: OwnKey = { path, make: () => randomBytes(SYMMETRIC_BYTES), loss };
  const key = readOwnKey(own);
  if (key.length === SYMMETRIC_BYTES) return key;
  throw noOwnKey(own, `a key of ${SYMMETRIC_BYTES} bytes`);
}
