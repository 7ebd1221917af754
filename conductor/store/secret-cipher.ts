/**
 * Encrypts the secrets of the database: AES-256-GCM with a random nonce per value. The place of a value (table, row and
 * field) is authenticated with it, so a value that is moved to another row or field can not be decrypted there.
 *
 *   enc1:KEY:BASE64     KEY: id of the key; BASE64: nonce (12 bytes), encrypted text, tag (16 bytes)
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { IngotError } from '../domain/errors.ts';
import { newKey, type SecretKey } from './key-file.ts';

export interface SecretCipher {
  /** Id of the key that encrypts. */
  readonly keyId: string;
  encrypt(place: string, text: string): string;
  /** Throws for a text that is not encrypted, was encrypted for another place, or has a key that is not there. */
  decrypt(place: string, stored: string): string;
  /** Like `decrypt`, but keeps nothing, and undefined instead of an error, which is reported once. */
  tryDecrypt(place: string, stored: string): string | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const FORM = 'enc1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Decrypting takes longer than reading a row. So decrypted values are kept while they are few and short; they are in
 * memory anyway wherever they are used.
 */
const MAX_KEPT = 10_000;
const MAX_KEPT_CHARACTERS = 4_000_000;
const MAX_KEPT_LENGTH = 4_096;

interface Kept {
  readonly stored: string;
  readonly text: string;
}

export const isEncrypted = (stored: string): boolean => stored.startsWith(FORM);

/** Start of all values that this key has encrypted. */
export const encryptedWith = (keyId: string): string => `${FORM}${keyId}:`;

/** Places whose errors are not reported again. */
const MAX_REPORTED = 1_000;

/** `keys`: the first one encrypts. `report` is told about secrets that can not be decrypted. */
export function createSecretCipher(
  keys: readonly SecretKey[],
  report: (error: Error) => void = () => undefined,
): SecretCipher {
  const byId = new Map(keys.map(({ id, bytes }) => [id, createSecretKey(bytes)]));
  const [first] = keys;
  if (first === undefined) throw new Error('a cipher needs a key');
  const current = byId.get(first.id) as KeyObject;
  const start = encryptedWith(first.id);
  const kept = new Map<string, Kept>();
  const reported = new Set<string>();
  let characters = 0;

  const sizeOf = (place: string, { stored, text }: Kept): number =>
    place.length + stored.length + text.length;

  function forget(place: string): void {
    const old = kept.get(place);
    if (old === undefined) return;
    characters -= sizeOf(place, old);
    kept.delete(place);
  }

  function keep(place: string, entry: Kept): void {
    forget(place);
    if (entry.stored.length > MAX_KEPT_LENGTH) return;
    kept.set(place, entry);
    characters += sizeOf(place, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS) return;
      forget(oldest);
    }
  }

  function decrypt(place: string, stored: string): string {
    const known = kept.get(place);
    if (known?.stored === stored) return known.text;
    const text = open(byId, place, stored);
    keep(place, { stored, text });
    return text;
  }

  return {
    keyId: first.id,
    encrypt(place, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return start + Buffer.concat(parts).toString('base64');
    },
    decrypt,
    tryDecrypt(place, stored) {
      try {
        return open(byId, place, stored);
      } catch (error) {
        if (!reported.has(place) && reported.size < MAX_REPORTED) report(error as Error);
        reported.add(place);
        return undefined;
      }
    },
  };
}

function open(keys: ReadonlyMap<string, KeyObject>, place: string, stored: string): string {
  const [, id = '', base64 = ''] = /^enc1:([0-9a-f]{8}):([A-Za-z0-9+/=]+)$/.exec(stored) ?? [];
  if (id === '') throw broken(place, 'it is not encrypted');
  const key = keys.get(id);
  if (key === undefined) throw broken(place, `its key ${id} is not in the key file`);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw broken(place, 'it is too short');
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, end)).toString('utf8') + decipher.final().toString('utf8')
    );
  } catch {
    throw broken(place, 'it was changed, or belongs to another row');
  }
}

const broken = (place: string, why: string): IngotError =>
  new IngotError('interrupted', `The secret ${place} in the database cannot be decrypted: ${why}.`);

/** For databases in memory: the key ends with the process. */
export const temporaryCipher = (): SecretCipher => createSecretCipher([newKey()]);
