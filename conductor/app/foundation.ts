/**
 * What every part of the conductor uses: configuration, log, clock and store.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Store } from '../domain/store/store.ts';
import type { AgentEndpoints } from '../drivers/agent-params.ts';
import { type DataDirLock, lockDataDir } from '../store/sqlite/data-dir-lock.ts';
import { openStore } from '../store/sqlite/store.ts';
import { type AgentTls, readAgentTls } from './agent-tls.ts';
import { createLogger } from './log.ts';

/** How machines on the provisioning network reach the conductor. */
export interface ProvisioningAccess extends AgentEndpoints {
  readonly tls: AgentTls;
}

export interface Foundation {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly dataDirLock: DataDirLock;
  readonly store: Store;
  /** null without a provisioning interface. */
  readonly provisioning: ProvisioningAccess | null;
}

export const databasePath = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'ingot.db');

export async function layFoundation(config: Config): Promise<Foundation> {
  const { network } = config;
  const logger = createLogger(config.logLevel);
  // First of all: a second conductor must not touch anything.
  const dataDirLock = lockDataDir(config.dataDir);
  return {
    config,
    logger,
    now: () => new Date(),
    dataDirLock,
    store: await openStore({ path: databasePath(config), keyFile: config.secretKeyFile, logger }),
    provisioning: network === null ? null : provisioningAccess(config, network.address),
  };
}

function provisioningAccess(config: Config, address: string): ProvisioningAccess {
  const tls = readAgentTls(config.dataDir);
  return {
    plainUrl: `http://${address}:${config.bootPort}`,
    tlsUrl: `https://${address}:${config.bootTlsPort}`,
    pin: tls.pin,
    allowPlaintext: config.agentAllowPlaintext,
    tls,
  };
}
