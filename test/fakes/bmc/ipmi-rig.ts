/** A fake BMC and our client for it, with time limits short enough for unit tests. */
import type { IpmiAddress } from '../../../conductor/bmc/ipmi/address.ts';
import { createIpmiClients, type IpmiClients } from '../../../conductor/bmc/ipmi/clients.ts';
import { Secret } from '../../../conductor/bmc/ipmi/secret.ts';
import type { IpmiSettings } from '../../../conductor/bmc/ipmi/settings.ts';
import { type FakeBmc, type FakeBmcOptions, startFakeBmc } from './fake-bmc.ts';

export const RIG_USER = { username: 'admin', password: 'pass-word-not-shown' } as const;

export const QUICK: IpmiSettings = {
  commandTimeoutMs: 3_000,
  firstTryMs: 20,
  longestTryMs: 200,
  busyPauseMs: 10,
  idleMs: 30_000,
  closeTimeoutMs: 300,
};

/** What was logged, as text, so that a test can look for what must not be there. */
export interface RecordedLog {
  readonly lines: string[];
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export function recordedLog(): RecordedLog {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { lines, debug: write, warn: write };
}

export interface IpmiRig extends AsyncDisposable {
  readonly bmc: FakeBmc;
  readonly clients: IpmiClients;
  readonly log: RecordedLog;
  address(changes?: Partial<IpmiAddress>): IpmiAddress;
}

export async function startIpmiRig(
  options: Partial<FakeBmcOptions> = {},
  settings: Partial<IpmiSettings> = {},
): Promise<IpmiRig> {
  const bmc = await startFakeBmc({ ...RIG_USER, ...options });
  const log = recordedLog();
  const clients = createIpmiClients({ logger: log, settings: { ...QUICK, ...settings } });
  return {
    bmc,
    clients,
    log,
    address: (changes = {}) => ({ ...ipmiAddress(bmc.port), ...changes }),
    async [Symbol.asyncDispose]() {
      await clients.closeAll();
      await bmc.stop();
    },
  };
}

export function ipmiAddress(
  port: number,
  user: { username: string; password: string } = RIG_USER,
): IpmiAddress {
  return {
    host: '127.0.0.1',
    port,
    username: user.username,
    password: Secret.ofText(user.password),
    privilege: 'ADMINISTRATOR',
    cipherSuites: [17, 3],
    disableBootTimeout: true,
    forceBootDevice: false,
  };
}
