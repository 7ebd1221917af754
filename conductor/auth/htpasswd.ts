/**
 * Users in an htpasswd file with bcrypt hashes (`htpasswd -B`), read again when the file changes.
 *
 * A bcrypt check takes tens of milliseconds by design, and clients send their password with every request. So keyed
 * digests of correct passwords are cached until the file changes. Other passwords are checked one at a time; when too
 * many checks are waiting, further ones are refused.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { compare, getRounds, hashSync } from 'bcryptjs';
import { IngotError } from '../domain/errors.ts';

const HASH = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
/** bcrypt ignores further bytes. */
const MAX_PASSWORD_BYTES = 72;
const MAX_WAITING = 32;

export interface Htpasswd {
  /** Throws unavailable when too many checks are waiting. */
  verify(name: string, password: string): Promise<boolean>;
  /** The current hash; undefined for a user who is not in the file. */
  hashOf(name: string): string | undefined;
}

/** Throws when the file can not be read or has a line that is not `name:bcrypt-hash`. */
export function openHtpasswd(path: string, onProblem: (error: unknown) => void): Htpasswd {
  const key = randomBytes(32);
  let changedAt = statSync(path).mtimeMs;
  let users = parseHtpasswd(readFileSync(path, 'utf8'));
  // Compared for unknown users, so that the check takes as long as for known ones.
  const [anyHash] = users.values();
  const nobody = hashSync(key.toString('hex'), anyHash === undefined ? 10 : getRounds(anyHash));
  let right = new Set<string>();
  let waiting = 0;
  /** Checks that have not ended, by digest: requests that come together with one password share its check. */
  const checks = new Map<string, Promise<boolean>>();
  let last: Promise<unknown> = Promise.resolve();

  /** If the file is invalid, the previous users stay. */
  function refresh(): void {
    try {
      const { mtimeMs } = statSync(path);
      if (mtimeMs === changedAt) return;
      users = parseHtpasswd(readFileSync(path, 'utf8'));
      changedAt = mtimeMs;
      right = new Set();
    } catch (error) {
      onProblem(error);
    }
  }

  async function inTurn(password: string, hash: string): Promise<boolean> {
    if (waiting >= MAX_WAITING) {
      throw new IngotError('unavailable', 'Too many log-ins are being checked. Try again in a moment.');
    }
    waiting += 1;
    const before = last;
    const check = before.then(() => compare(password, hash)).finally(() => (waiting -= 1));
    last = check.catch(() => undefined);
    return check;
  }

  return {
    hashOf(name) {
      refresh();
      return users.get(name);
    },

    async verify(name, password) {
      refresh();
      const hash = users.get(name);
      if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return false;
      const digest = createHmac('sha256', key).update(`${hash}\0${password}`).digest('base64');
      if (hash !== undefined && right.has(digest)) return true;
      const check = checks.get(digest) ?? inTurn(password, hash ?? nobody);
      checks.set(digest, check);
      const matches = await check.finally(() => checks.delete(digest));
      if (!matches || hash === undefined) return false;
      right.add(digest);
      return true;
    },
  };
}

export function parseHtpasswd(text: string): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const hash = line.slice(colon + 1).trim();
    if (colon < 1 || !HASH.test(hash)) {
      throw new Error(`htpasswd line ${index + 1} is not name:bcrypt-hash; make it with "htpasswd -nbB"`);
    }
    users.set(line.slice(0, colon), hash);
  }
  return users;
}
