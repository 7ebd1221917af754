/**
 * What every part of the conductor uses: configuration, log, clock and store.
 */
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';

export interface Foundation {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly store: Store;
  /** URL of the HTTP server for booting machines; null without a provisioning interface. */
  readonly bootUrl: string | null;
}

export async function layFoundation(config: Config): Promise<Foundation> {
  const { network } = config;
  const logger = pino({ level: config.logLevel });
  return {
    config,
    logger,
    now: () => new Date(),
    store: await openStore({ path: join(config.dataDir, 'ingot.db'), logger }),
    bootUrl: network === null ? null : `http://${network.address}:${config.bootPort}`,
  };
}
