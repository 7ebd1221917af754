/**
 * `ingot secrets rotate`: replaces the key that encrypts the secrets in the database. The conductor must not run.
 */
import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { addConfigOptions, readConfig, requireConfig } from './config-source.ts';

/** What conductor/app does with the database. */
export type RotateSecrets = (config: Config) => Promise<{
  readonly keyId: string;
  readonly removed: readonly string[];
  readonly encrypted: number;
  readonly isResumed: boolean;
}>;

export function secretsCommand(load: () => Promise<RotateSecrets>): Command {
  const rotate = addConfigOptions(
    new Command('rotate').description('Encrypt them with a new key; stop the conductor first'),
  ).action(async (options: Record<string, unknown>) => {
    const config = requireConfig(await readConfig(options));
    const { keyId, removed, encrypted, isResumed } = await (await load())(config);
    process.stdout.write(
      `${isResumed ? 'Finished the rotation that was interrupted. ' : ''}${encrypted} secrets are encrypted with the new key ${keyId}. ` +
        `${config.secretKeyFile} no longer has the key ${removed.join(', ')}: keep its old copy with older backups of the database.\n`,
    );
  });
  return new Command('secrets').description('Secrets in the database').addCommand(rotate.exitOverride());
}
