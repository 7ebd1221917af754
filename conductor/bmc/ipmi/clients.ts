/**
 * All BMCs this conductor talks to: one connection each, whoever asks.
 *
 * Made by app/, which calls closeAll() at shutdown. A connection that has been idle is dropped with its credentials;
 * only the cipher suite that worked is remembered.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { IngotError } from '../../domain/errors.ts';
import { endpointOf, type IpmiAddress, sameLogin } from './address.ts';
import { createIpmiClient, type IpmiClient, type RunCommand } from './client.ts';
import { Connection } from './connection.ts';
import { DEFAULT_IPMI_SETTINGS, type IpmiSettings, type Logger } from './settings.ts';

export interface IpmiClientsDeps {
  readonly logger: Logger;
  readonly now?: () => Date;
  readonly settings?: Partial<IpmiSettings>;
}

export interface IpmiClients {
  /** Cheap; opens nothing. The client uses the session of its address, and replaces one opened with other credentials. */
  for(address: IpmiAddress): IpmiClient;
  /** Calls off what is at work and closes every session; ends within closeTimeoutMs or little more. */
  closeAll(): Promise<void>;
}

export function createIpmiClients(deps: IpmiClientsDeps): IpmiClients {
  const settings = { ...DEFAULT_IPMI_SETTINGS, ...deps.settings };
  const now = deps.now ?? (() => new Date());
  const connections = new Map<string, Connection>();
  const suites = new Map<string, CipherSuiteId>();
  /** Sessions with old credentials on their way out, by endpoint. */
  const leaving = new Map<string, Promise<void>>();
  let isClosed = false;

  function connectionFor(address: IpmiAddress): Connection {
    const endpoint = endpointOf(address);
    const present = connections.get(endpoint);
    if (present !== undefined && sameLogin(present.address, address)) return present;
    const connection: Connection = new Connection(address, {
      settings,
      now,
      logger: deps.logger,
      preferredSuite: suites.get(endpoint),
      onSuite: (suite) => suites.set(endpoint, suite),
      onIdle: () => {
        if (connections.get(endpoint) === connection) connections.delete(endpoint);
      },
    });
    connections.set(endpoint, connection);
    if (present !== undefined) retire(endpoint, present);
    return connection;
  }

  function retire(endpoint: string, connection: Connection): void {
    const before = leaving.get(endpoint) ?? Promise.resolve();
    const gone = Promise.all([before, connection.close('the credentials in driver_info were changed')])
      .catch((error: unknown) =>
        deps.logger.warn({ bmc: endpoint, err: error }, 'closing an IPMI session failed'),
      )
      .then(() => {
        if (leaving.get(endpoint) === gone) leaving.delete(endpoint);
      });
    leaving.set(endpoint, gone);
  }

  const runFor =
    (address: IpmiAddress): RunCommand =>
    async (command, request, options) => {
      if (isClosed) throw new IngotError('aborted', 'the conductor is shutting down: no more IPMI commands');
      const connection = connectionFor(address);
      await leaving.get(endpointOf(address));
      return connection.run(command, request, options);
    };

  return {
    for: (address) => createIpmiClient(address, runFor(address)),
    async closeAll() {
      isClosed = true;
      const open = [...connections.values()];
      connections.clear();
      await Promise.all([...leaving.values(), ...open.map((c) => c.close('the conductor is shutting down'))]);
    },
  };
}
