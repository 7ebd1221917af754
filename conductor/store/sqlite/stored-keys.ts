/**
 * The ids of the keys with which this database is encrypted. Each has a proof, a known text encrypted with the key,
 * which shows whether a key file is the right one.
 */
import { CompiledQuery } from 'kysely';
import type { SecretCipher } from '../secret-cipher.ts';
import type { Database } from './database.ts';

export interface StoredKey {
  readonly id: string;
  readonly proof: string;
  /** 0 until the file has no bytes any more from before this key was used. */
  readonly is_scrubbed: number;
}

const PROOF = 'the right key';
const placeOf = (id: string): string => `secret_keys:${id}:proof`;

export async function storedKeys(db: Database): Promise<readonly StoredKey[]> {
  return (await db.run<StoredKey>(CompiledQuery.raw('select * from secret_keys'))).rows;
}

/** Adds the cipher's key; it needs a scrub if rows were encrypted with another key or not at all before. */
export async function storeKey(db: Database, cipher: SecretCipher, needsScrub: boolean): Promise<void> {
  const { keyId } = cipher;
  const values = [keyId, cipher.encrypt(placeOf(keyId), PROOF), needsScrub ? 0 : 1];
  const statement =
    'insert into secret_keys (id, proof, is_scrubbed) values (?, ?, ?) on conflict (id) do update set is_scrubbed = excluded.is_scrubbed';
  await db.run(CompiledQuery.raw(statement, values));
}

export async function forgetOtherKeys(db: Database, { keyId }: SecretCipher): Promise<void> {
  await db.run(CompiledQuery.raw('delete from secret_keys where id <> ?', [keyId]));
}

/** Whether the cipher has the key with which this row was made. */
export function isProof(cipher: SecretCipher, { id, proof }: StoredKey): boolean {
  try {
    return cipher.decrypt(placeOf(id), proof) === PROOF;
  } catch {
    return false;
  }
}

/** Removes what older rows left in the file, if that has not been done since the last change of keys. */
export async function scrubIfDue(db: Database): Promise<void> {
  const due = (await storedKeys(db)).filter(({ is_scrubbed }) => is_scrubbed === 0);
  if (due.length === 0) return;
  db.engine.scrub();
  await db.run(CompiledQuery.raw('update secret_keys set is_scrubbed = 1'));
}
