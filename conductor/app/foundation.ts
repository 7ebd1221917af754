/**
 * What every part of the conductor uses: configuration, log, clock and store.
 */
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import type { Store } from '../domain/store/store.ts';
import { type DataDirLock, lockDataDir } from '../store/sqlite/data-dir-lock.ts';
import { openStore } from '../store/sqlite/store.ts';

export interface Foundation {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly dataDirLock: DataDirLock;
  readonly store: Store;
  /** URL of the HTTP server for booting machines; null without a provisioning interface. */
  readonly bootUrl: string | null;
}

export async function layFoundation(config: Config): Promise<Foundation> {
  const { network } = config;
  const logger = pino({ level: config.logLevel });
  // First of all: a second conductor must not touch anything.
  const dataDirLock = lockDataDir(config.dataDir);
  return {
    config,
    logger,
    now: () => new Date(),
    dataDirLock,
    store: await openStore({ path: join(config.dataDir, 'ingot.db'), logger }),
    bootUrl: network === null ? null : `http://${network.address}:${config.bootPort}`,
  };
}
