/**
 * Opens the secrets of a database: finds the key file, or creates it for a new database, and checks that it is the
 * right one. Secrets of a version that did not encrypt them are encrypted.
 */
import { IngotError } from '../../domain/errors.ts';
import { createKeyFile, readKeyFile, removeDraft } from '../key-file.ts';
import { createSecretCipher, type SecretCipher } from '../secret-cipher.ts';
import type { Database } from './database.ts';
import { rewriteSecrets } from './rewrite-secrets.ts';
import { sealOlderUrls } from './seal-older-urls.ts';
import { isProof, scrubIfDue, storedKeys, storeKey } from './stored-keys.ts';

export interface SecretFiles {
  /** The database. */
  readonly path: string;
  readonly keyFile: string;
}

export interface Unlocked {
  readonly cipher: SecretCipher;
  /** Number of secrets that this call has encrypted. */
  readonly encrypted: number;
}

/** Throws IngotError('unsupported') if the keys of the database are not in the key file. */
export async function unlock(
  db: Database,
  files: SecretFiles,
  report?: (error: Error) => void,
): Promise<Unlocked> {
  const known = await storedKeys(db);
  removeDraft(files.keyFile);
  const found = readKeyFile(files.keyFile);
  if (found === undefined && known[0] !== undefined) throw lost(files, known[0].id, 'which is missing');
  const keys = found ?? createKeyFile(files.keyFile);
  const cipher = createSecretCipher(keys, report);
  for (const key of known) {
    if (!keys.some(({ id }) => id === key.id)) throw lost(files, key.id, 'which has other keys');
    if (!isProof(cipher, key)) throw lost(files, key.id, 'which has another key of this name');
  }
  const encrypted = known.length === 0 ? await encryptAll(db, cipher) : 0;
  if (known.length > 0 && !known.some(({ id }) => id === cipher.keyId)) await storeKey(db, cipher, false);
  await scrubIfDue(db);
  return { cipher, encrypted };
}

/** All or nothing, so that a crash leaves no database in which some secrets are encrypted. */
const encryptAll = (db: Database, cipher: SecretCipher): Promise<number> =>
  db.atomic(async (within) => {
    await sealOlderUrls(within);
    const encrypted = await rewriteSecrets(within, cipher, 'plain');
    await storeKey(within, cipher, encrypted > 0);
    return encrypted;
  });

const lost = ({ path, keyFile }: SecretFiles, id: string, why: string): IngotError =>
  new IngotError(
    'unsupported',
    `The secrets in ${path} are encrypted with the key ${id}, but it is not in the key file ${keyFile} (secrets.key_file), ${why}. ` +
      'Restore the key file from its backup. Without it these are lost: passwords of BMCs, tokens of agents, config drives, user data and administrator passwords of servers, and the secrets of running operations.',
  );
