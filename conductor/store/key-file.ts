/**
 * The file with the keys of the secrets in the database. It is outside of the database, so that a copied database
 * shows no secret.
 *
 * One key per line, its id and the key in base64. The first key encrypts, all decrypt: while keys are changed, the
 * file has both the new and the old one.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { IngotError } from '../domain/errors.ts';

export interface SecretKey {
  /** Names the key in what it has encrypted. */
  readonly id: string;
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;
const OTHERS = 0o077;
const LINE = /^([0-9a-f]{8}) ([A-Za-z0-9+/]{43}=)$/;
const HEADER = [
  '# Keys of the secrets in the database of Ingot: the first one encrypts, all decrypt.',
  '# Without this file, the secrets in the database are lost. Back it up, but not beside the database.',
];

export const newKey = (): SecretKey => ({
  id: randomBytes(4).toString('hex'),
  bytes: randomBytes(KEY_BYTES),
});

/** The keys in the file; undefined if there is no such file. Throws if other users can read it or it has no keys. */
export function readKeyFile(path: string): readonly SecretKey[] | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, `cannot be read: ${(error as Error).message}`);
  }
  if ((statSync(path).mode & OTHERS) !== 0) {
    throw unusable(
      path,
      'can be read by other users. Run "chmod 600" on it, and "ingot secrets rotate" if somebody may have read it',
    );
  }
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line) => {
    const [, id, base64] = LINE.exec(line) ?? [];
    if (id === undefined || base64 === undefined)
      throw unusable(path, 'has a line that is no key. Restore it from its backup');
    return { id, bytes: Buffer.from(base64, 'base64') };
  });
  if (keys.length === 0) throw unusable(path, 'has no key. Restore it from its backup');
  return keys;
}

const unusable = (path: string, what: string): IngotError =>
  new IngotError('unsupported', `The key file ${path} (secrets.key_file) ${what}.`);

/** Creates the file with one new key, unless another process was faster. */
export function createKeyFile(path: string): readonly SecretKey[] {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = writeDraft(path, [newKey()]);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  flush(dirname(path));
  return readKeyFile(path) ?? [];
}

/** Replaces the file as a whole: after a crash it has either the old or the new keys. */
export function replaceKeyFile(path: string, keys: readonly SecretKey[]): void {
  renameSync(writeDraft(path, keys), path);
  flush(dirname(path));
}

const draftOf = (path: string): string => `${path}.new`;

/** Removes what a crash during a change of the file has left; only one process changes it at a time. */
export const removeDraft = (path: string): void => rmSync(draftOf(path), { force: true });

function writeDraft(path: string, keys: readonly SecretKey[]): string {
  const draft = draftOf(path);
  removeDraft(path);
  const lines = [...HEADER, ...keys.map(({ id, bytes }) => `${id} ${bytes.toString('base64')}`)];
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

function flush(directory: string): void {
  const open = openSync(directory, 'r');
  fsyncSync(open);
  closeSync(open);
}
