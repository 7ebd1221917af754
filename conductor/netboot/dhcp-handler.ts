/**
 * Handles DHCP messages (RFC 2131): one message in, at most one answer out.
 */
import { type DhcpMessage, decodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, machineUuid, messageType, Option } from '@ingot/shared/codec/dhcp/options.ts';
import type {
  BootDecision,
  BootDirectory,
  BootTrace,
  FixedAddress,
  FixedAddresses,
  Mac,
} from '../domain/boot.ts';
import { holds, networkOf, parseAddress } from '../domain/ip-address.ts';
import type { AddressPool } from './address-pool.ts';
import { answer, NO_ADDRESS, refusal } from './dhcp-answer.ts';
import { firmwareWithoutLoader } from './dhcp-boot-options.ts';
import { type DhcpPort, type ProxyQuery, proxyAnswer } from './dhcp-proxy.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

export interface DhcpHandlerDeps {
  readonly settings: DhcpSettings;
  readonly directory: BootDirectory;
  readonly pool: AddressPool;
  /** The fixed addresses of servers, if the OpenStack APIs are enabled. */
  readonly fixedAddresses?: FixedAddresses;
  readonly trace: BootTrace;
  readonly now: () => Date;
  readonly warn: (fields: object, text: string) => void;
}

export type DhcpHandler = (request: DhcpMessage, port: DhcpPort) => Promise<DhcpMessage | undefined>;

const ETHERNET = 1;
const DECLINED = {
  declined: 'a machine reports that another one uses this address: it is not given out for ten minutes',
  'too often':
    'a machine has declined three addresses in ten minutes and keeps this one: look for other DHCP servers, and for static addresses from dhcp.range_start to dhcp.range_end',
} as const;

interface Query extends ProxyQuery {
  readonly fixed: FixedAddress | undefined;
}

export function createDhcpHandler(deps: DhcpHandlerDeps): DhcpHandler {
  const { settings, trace, now } = deps;
  const network = networkOf(settings);
  const inNetwork = (address: string): boolean => holds(network, parseAddress(address)!);
  const requested = (message: DhcpMessage): string | undefined =>
    decodeAddress(message.options.get(Option.requestedAddress));
  const forUs = (message: DhcpMessage): boolean => {
    const server = decodeAddress(message.options.get(Option.serverId));
    return server === undefined || server === settings.address;
  };

  /** A server's machine gets the router and DNS servers of the server's subnet with its fixed address. */
  const settingsFor = (address: string, fixed: FixedAddress | undefined): DhcpSettings =>
    address === fixed?.address ? { ...settings, dhcpRouter: fixed.router, dhcpDns: fixed.dns } : settings;

  async function discover({ request, mac, decision, fixed }: Query): Promise<DhcpMessage | undefined> {
    trace.record({ kind: 'dhcp discover', at: now(), mac });
    const address = await deps.pool.offer(mac, requested(request), fixed?.address);
    if (fixed !== undefined && address !== fixed.address) {
      deps.warn(
        { mac, address: fixed.address, offered: address, node: fixed.nodeUuid },
        'the address of a server is leased to another machine: the server gets a temporary address until that lease ends',
      );
    }
    if (address === undefined) {
      const range = `${settings.dhcpRangeStart}-${settings.dhcpRangeEnd}`;
      deps.warn(
        { mac, range, ...(await deps.pool.usage()) },
        'no address is free: enlarge dhcp.range_start to dhcp.range_end, or shorten dhcp.lease_seconds',
      );
      return undefined;
    }
    trace.record({ kind: 'dhcp offer', at: now(), mac, detail: address });
    return answer(request, MessageType.offer, settingsFor(address, fixed), { mac, address, decision });
  }

  async function accept({ request, mac, decision, fixed }: Query): Promise<DhcpMessage | undefined> {
    if (!forUs(request)) return undefined;
    trace.record({ kind: 'dhcp request', at: now(), mac });
    const wanted = request.ciaddr === NO_ADDRESS ? requested(request) : request.ciaddr;
    if (wanted === undefined) return undefined;
    if (!inNetwork(wanted)) return refusal(request, settings, `${wanted} is not in this network`);
    if (!(await deps.pool.lease(mac, wanted, fixed?.address)))
      return refusal(request, settings, `${wanted} is not yours`);
    trace.record({ kind: 'dhcp ack', at: now(), mac, detail: wanted });
    return answer(request, MessageType.ack, settingsFor(wanted, fixed), { mac, address: wanted, decision });
  }

  async function decline({ request, mac }: Query): Promise<undefined> {
    const address = requested(request);
    if (!forUs(request) || address === undefined) return undefined;
    const outcome = await deps.pool.decline(mac, address);
    if (outcome !== 'not leased') deps.warn({ mac, address }, DECLINED[outcome]);
    return undefined;
  }

  async function release({ request, mac }: Query): Promise<undefined> {
    if (forUs(request)) await deps.pool.release(mac, request.ciaddr);
    return undefined;
  }

  /** INFORM: the client has an address already, and the answer goes to that address (RFC 2131 section 4.3.5). */
  async function inform({ request, mac, decision, fixed }: Query): Promise<DhcpMessage | undefined> {
    if (!inNetwork(request.ciaddr)) return undefined;
    return answer(request, MessageType.ack, settingsFor(request.ciaddr, fixed), {
      mac,
      address: NO_ADDRESS,
      decision,
    });
  }

  const byType: Readonly<Record<number, (query: Query) => Promise<DhcpMessage | undefined>>> = {
    [MessageType.discover]: discover,
    [MessageType.request]: accept,
    [MessageType.decline]: decline,
    [MessageType.release]: release,
    [MessageType.inform]: inform,
  };

  return async (request, port) => {
    if (settings.dhcpMode === 'off' || request.op !== 1) return undefined;
    if (request.htype !== ETHERNET || request.chaddr.length !== 6) return undefined;
    const mac = macOf(request);
    const uuid = machineUuid(request);
    const fixed = settings.dhcpMode === 'reservation' ? await deps.fixedAddresses?.of(mac) : undefined;
    const decision = withFixed(
      await deps.directory.decide({ mac, ...(uuid === undefined ? {} : { uuid }) }),
      fixed,
    );
    // Other DHCP servers may answer unknown machines.
    if (decision.kind === 'unknown') return undefined;
    const query = { request, mac, decision, fixed };
    const firmware = firmwareWithoutLoader(request, settings, decision);
    if (firmware !== undefined) {
      deps.warn(
        { mac, ...firmware },
        'no network boot program is configured for the firmware of this machine: see tftp.*_loader in the configuration',
      );
    }
    if (settings.dhcpMode === 'proxy') return proxyAnswer(deps, query, port);
    if (request.giaddr !== NO_ADDRESS && !inNetwork(request.giaddr)) {
      deps.warn(
        { mac, relay: request.giaddr },
        'a relay asks for an address of another network, but only addresses of the network of `interface` are given out: use dhcp.dhcpMode proxy there',
      );
      return undefined;
    }
    return byType[messageType(request) ?? 0]?.(query);
  };
}

/** A server's network card that does not boot from the network is known only by its fixed address. */
const withFixed = (decision: BootDecision, fixed: FixedAddress | undefined): BootDecision =>
  decision.kind === 'unknown' && fixed !== undefined
    ? { kind: 'nothing', nodeUuid: fixed.nodeUuid }
    : decision;

/** Only called for Ethernet addresses of six bytes. */
const macOf = ({ chaddr }: DhcpMessage): Mac =>
  [...chaddr].map((byte) => byte.toString(16).padStart(2, '0')).join(':') as Mac;
