/**
 * Checks the callback URL of a heartbeat against what the conductor knows of the machine: its leases where our DHCP
 * server gives addresses, else the address that the heartbeat came from.
 */
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import { callbackProblem } from './callback-url.ts';
import type { AgentSettings } from './settings.ts';

export interface Callback {
  readonly nodeUuid: string;
  readonly url: string;
  /** The address that the heartbeat came from. */
  readonly source: string;
}

/** Why the callback URL is refused; undefined if it is believed. */
export type CallbackCheck = (callback: Callback) => Promise<string | undefined>;

export interface CallbackCheckDeps {
  readonly settings: AgentSettings;
  /** Whether machines get their addresses from our DHCP server. */
  readonly leases: boolean;
  readonly store: Pick<Store, 'leases' | 'ports'>;
  /** The conductor's addresses; they may change while it runs. */
  readonly ownAddresses: () => readonly string[];
  readonly now: () => Date;
}

export function createCallbackCheck(deps: CallbackCheckDeps): CallbackCheck {
  const { settings, store } = deps;

  return async ({ nodeUuid, url, source }) =>
    callbackProblem(url, {
      allowPlaintext: settings.agentAllowPlaintext,
      allowed: settings.agentCallbackAllow,
      machine: deps.leases ? await leasesOf(nodeUuid) : [source],
      machineIs: deps.leases
        ? "an address that is leased to a port of the node (dhcp.mode is 'reservation')"
        : `the address ${source}, from which the heartbeat came`,
      own: deps.ownAddresses(),
    });

  async function leasesOf(nodeUuid: string): Promise<string[]> {
    const ports = await listAll(store.ports, { nodeUuid });
    const leases = await Promise.all(ports.map((port) => store.leases.byMac(port.address)));
    const now = deps.now();
    return leases.flatMap((lease) => (lease !== undefined && lease.expiresAt > now ? [lease.address] : []));
  }
}
