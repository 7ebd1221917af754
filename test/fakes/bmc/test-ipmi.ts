/**
 * A fake BMC and our client for it. The clock runs only while a command waits and no datagram is on its way, so that
 * time limits are met on a busy machine and pass at once.
 */
import type { IpmiAddress } from '../../../conductor/bmc/ipmi/address.ts';
import type { IpmiClient } from '../../../conductor/bmc/ipmi/client.ts';
import { createIpmiClients, type IpmiClients } from '../../../conductor/bmc/ipmi/clients.ts';
import { Secret } from '../../../conductor/bmc/ipmi/secret.ts';
import type { IpmiSettings } from '../../../conductor/bmc/ipmi/settings.ts';
import { type IdleClock, startIdleClock } from '../idle-clock.ts';
import { type FakeBmc, type FakeBmcOptions, startFakeBmc } from './fake-bmc.ts';

export const BMC_USER = { username: 'admin', password: 'pass-word-not-shown' } as const;

export const QUICK: IpmiSettings = {
  commandTimeoutMs: 3_000,
  firstTryMs: 20,
  longestTryMs: 200,
  busyPauseMs: 10,
  idleMs: 30_000,
  closeTimeoutMs: 300,
};

/** The log as text, so that a test can check that it contains no secrets. */
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

export interface TestIpmi extends AsyncDisposable {
  readonly bmc: FakeBmc;
  readonly clients: IpmiClients;
  readonly log: RecordedLog;
  readonly clock: IdleClock;
  address(changes?: Partial<IpmiAddress>): IpmiAddress;
}

export async function startTestIpmi(
  options: Partial<FakeBmcOptions> = {},
  settings: Partial<IpmiSettings> = {},
): Promise<TestIpmi> {
  const bmc = await startFakeBmc({ ...BMC_USER, ...options });
  const log = recordedLog();
  const clock = startIdleClock();
  const made = createIpmiClients({ logger: log, settings: { ...QUICK, ...settings } });
  const clients: IpmiClients = {
    for: (address) => timed(made.for(address), clock),
    closeAll: () => clock.during(made.closeAll()),
  };
  return {
    bmc,
    clients,
    log,
    clock,
    address: (changes = {}) => ({ ...ipmiAddress(bmc.port), ...changes }),
    async [Symbol.asyncDispose]() {
      await clients.closeAll();
      await bmc.stop();
      clock[Symbol.dispose]();
    },
  };
}

/** Lets time pass during each call. */
function timed(client: IpmiClient, clock: IdleClock): IpmiClient {
  const calls = Object.entries(client).map(([name, call]) => [
    name,
    (...args: unknown[]) => clock.during((call as (...args: unknown[]) => Promise<unknown>)(...args)),
  ]);
  return Object.fromEntries(calls) as IpmiClient;
}

export function ipmiAddress(
  port: number,
  user: { username: string; password: string } = BMC_USER,
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
