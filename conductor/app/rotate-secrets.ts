/**
 * `ingot secrets rotate`: gives the secrets in the database a new key, while no conductor runs.
 */
import type { Config } from '../config/config.ts';
import { lockDataDir } from '../store/sqlite/data-dir-lock.ts';
import { type Rotation, rotateSecretKeys } from '../store/sqlite/rotate-keys.ts';
import { databasePath } from './foundation.ts';

export async function rotateSecrets(config: Config): Promise<Rotation> {
  const lock = lockDataDir(config.dataDir);
  try {
    return await rotateSecretKeys({ path: databasePath(config), keyFile: config.secretKeyFile });
  } finally {
    lock.release();
  }
}
