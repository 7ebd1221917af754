/**
 * The IPMI connections of this conductor: one for each BMC, shared by all users of that BMC.
 *
 * app/ calls closeAll() at shutdown. An idle connection is dropped together with its credentials; only the
 * cipher suite that worked is remembered, and in the store the strongest one, see suite-floor.ts.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { IngotError } from '../../domain/errors.ts';
import type { BmcCipherSuites } from '../../domain/store/bmc-cipher-suites.ts';
import { endpointOf, type IpmiAddress, sameLogin } from './address.ts';
import { createIpmiClient, type IpmiClient, type RunCommand } from './client.ts';
import { Connection } from './connection.ts';
import { DEFAULT_IPMI_SETTINGS, type IpmiSettings, type Logger } from './settings.ts';
import { isStronger } from './suite-floor.ts';

export interface IpmiClientsDeps {
  readonly logger: Logger;
  readonly now?: () => Date;
  readonly settings?: Partial<IpmiSettings>;
  /** Default: known only while this object exists. */
  readonly seenSuites?: BmcCipherSuites;
}

export interface IpmiClients {
  /** Opens nothing. The first command opens the session, and replaces a session opened with other credentials. */
  for(address: IpmiAddress): IpmiClient;
  /** Cancels running commands and closes every session, within about closeTimeoutMs. */
  closeAll(): Promise<void>;
}

export function createIpmiClients(deps: IpmiClientsDeps): IpmiClients {
  const settings = { ...DEFAULT_IPMI_SETTINGS, ...deps.settings };
  const now = deps.now ?? (() => new Date());
  const seenSuites = deps.seenSuites ?? suitesInMemory();
  const connections = new Map<string, Connection>();
  const suites = new Map<string, CipherSuiteId>();
  /** Connections with old credentials that are being closed, by endpoint. */
  const closing = new Map<string, Promise<void>>();
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
      seenSuite: () => seenSuites.seenAt(endpoint),
      async onSuite(suite) {
        suites.set(endpoint, suite);
        if (isStronger(suite, await seenSuites.seenAt(endpoint))) await seenSuites.put(endpoint, suite);
      },
      onIdle: () => {
        if (connections.get(endpoint) === connection) connections.delete(endpoint);
      },
    });
    connections.set(endpoint, connection);
    if (present !== undefined) retire(endpoint, present);
    return connection;
  }

  function retire(endpoint: string, connection: Connection): void {
    const before = closing.get(endpoint) ?? Promise.resolve();
    const gone = Promise.all([before, connection.close('the credentials in driver_info were changed')])
      .catch((error: unknown) =>
        deps.logger.warn({ bmc: endpoint, err: error }, 'closing an IPMI session failed'),
      )
      .then(() => {
        if (closing.get(endpoint) === gone) closing.delete(endpoint);
      });
    closing.set(endpoint, gone);
  }

  const runFor =
    (address: IpmiAddress): RunCommand =>
    async (command, request, options) => {
      if (isClosed) throw new IngotError('aborted', 'the conductor is shutting down: no more IPMI commands');
      const connection = connectionFor(address);
      await closing.get(endpointOf(address));
      return connection.run(command, request, options);
    };

  return {
    for: (address) => createIpmiClient(address, runFor(address)),
    async closeAll() {
      isClosed = true;
      const open = [...connections.values()];
      connections.clear();
      await Promise.all([...closing.values(), ...open.map((c) => c.close('the conductor is shutting down'))]);
    },
  };
}

function suitesInMemory(): BmcCipherSuites {
  const seen = new Map<string, number>();
  return {
    seenAt: async (endpoint) => seen.get(endpoint),
    put: async (endpoint, suite) => void seen.set(endpoint, suite),
  };
}
