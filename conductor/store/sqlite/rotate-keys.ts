/**
 * Replaces the key of the secrets. The key file has both keys until every secret is encrypted with the new one, so a
 * crash at any moment leaves a database that can be used, and the next call goes on.
 */
import { existsSync } from 'node:fs';
import { IngotError } from '../../domain/errors.ts';
import { newKey, readKeyFile, replaceKeyFile } from '../key-file.ts';
import { createSecretCipher } from '../secret-cipher.ts';
import { createDatabase, type Database } from './database.ts';
import { migrate } from './migrate.ts';
import { rewriteSecrets } from './rewrite-secrets.ts';
import { openSqlite } from './sqlite.ts';
import { forgetOtherKeys, scrubIfDue, storeKey } from './stored-keys.ts';
import { type SecretFiles, unlock } from './unlock.ts';

export interface Rotation {
  readonly keyId: string;
  /** Ids of the keys that were removed from the key file. */
  readonly removed: readonly string[];
  readonly encrypted: number;
  /** It finished a rotation that was interrupted before. */
  readonly isResumed: boolean;
}

/** Only while no conductor uses the database. */
export async function rotateSecretKeys(files: SecretFiles): Promise<Rotation> {
  if (!existsSync(files.path)) {
    throw new IngotError('notFound', `There is no database ${files.path}: check data_dir.`);
  }
  const db = createDatabase(openSqlite(files.path));
  try {
    await migrate(db, files.path);
    await unlock(db, files);
    return await rotate(db, files.keyFile);
  } finally {
    await db.close();
  }
}

async function rotate(db: Database, keyFile: string): Promise<Rotation> {
  const before = readKeyFile(keyFile) ?? [];
  const isResumed = before.length > 1;
  const keys = isResumed ? before : [newKey(), ...before];
  if (!isResumed) replaceKeyFile(keyFile, keys);
  const cipher = createSecretCipher(keys);
  await storeKey(db, cipher, true);
  const encrypted = await rewriteSecrets(db, cipher, 'older');
  await forgetOtherKeys(db, cipher);
  await scrubIfDue(db);
  replaceKeyFile(keyFile, keys.slice(0, 1));
  return { keyId: cipher.keyId, removed: keys.slice(1).map(({ id }) => id), encrypted, isResumed };
}
