/**
 * One DHCP message in, at most one out: who is asked about what, in RFC 2131's order.
 */
import { type DhcpMessage, decodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import {
  bootRequester,
  MessageType,
  machineUuid,
  messageType,
  Option,
} from '@ingot/shared/codec/dhcp/options.ts';
import type {
  BootDecision,
  BootDirectory,
  BootTrace,
  FixedAddress,
  FixedAddresses,
  Mac,
} from '../domain/boot.ts';
import type { AddressPool } from './address-pool.ts';
import { answer, NO_ADDRESS, refusal } from './dhcp-answer.ts';
import { firmwareWithoutLoader } from './dhcp-boot-options.ts';
import type { DhcpSettings } from './dhcp-settings.ts';
import { sameNetwork } from './ipv4.ts';

export interface DhcpHandlerDeps {
  readonly settings: DhcpSettings;
  readonly directory: BootDirectory;
  readonly pool: AddressPool;
  /** Where servers have addresses of their own. */
  readonly fixedAddresses?: FixedAddresses;
  readonly trace: BootTrace;
  readonly now: () => Date;
  readonly warn: (fields: object, text: string) => void;
}

/** Where a message came in: the DHCP port 67, or the boot server port 4011 of PXE. */
export type DhcpPort = 'dhcp' | 'boot server';
export type DhcpHandler = (request: DhcpMessage, port: DhcpPort) => Promise<DhcpMessage | undefined>;

const ETHERNET = 1;

interface Asking {
  readonly request: DhcpMessage;
  readonly mac: Mac;
  readonly decision: BootDecision;
  readonly fixed: FixedAddress | undefined;
}

export function createDhcpHandler(deps: DhcpHandlerDeps): DhcpHandler {
  const { settings, trace, now } = deps;
  const inNetwork = (address: string): boolean => sameNetwork(address, settings.address, settings.netmask);
  const requested = (message: DhcpMessage): string | undefined =>
    decodeAddress(message.options.get(Option.requestedAddress));
  const forUs = (message: DhcpMessage): boolean => {
    const server = decodeAddress(message.options.get(Option.serverId));
    return server === undefined || server === settings.address;
  };

  /** A server's machine is told of the network what the server's subnet says. */
  const settingsFor = (address: string, fixed: FixedAddress | undefined): DhcpSettings =>
    address === fixed?.address ? { ...settings, router: fixed.router, dns: fixed.dns } : settings;

  async function discover({ request, mac, decision, fixed }: Asking): Promise<DhcpMessage | undefined> {
    trace.record({ kind: 'dhcp discover', at: now(), mac });
    const address = await deps.pool.offer(mac, requested(request), fixed?.address);
    if (fixed !== undefined && address !== fixed.address) {
      deps.warn(
        { mac, address: fixed.address, offered: address, node: fixed.nodeUuid },
        "the address of a server is in another machine's use: its own machine gets another until that ends",
      );
    }
    if (address === undefined) {
      const range = `${settings.rangeStart}-${settings.rangeEnd}`;
      deps.warn(
        { mac, range, ...(await deps.pool.census()) },
        'no address is left: enlarge dhcp.range_start to dhcp.range_end, or shorten dhcp.lease_seconds',
      );
      return undefined;
    }
    trace.record({ kind: 'dhcp offer', at: now(), mac, detail: address });
    return answer(request, MessageType.offer, settingsFor(address, fixed), { mac, address, decision });
  }

  async function accept({ request, mac, decision, fixed }: Asking): Promise<DhcpMessage | undefined> {
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

  async function decline({ request, mac }: Asking): Promise<undefined> {
    const address = requested(request);
    if (!forUs(request) || address === undefined) return undefined;
    if (await deps.pool.decline(mac, address))
      deps.warn(
        { mac, address },
        'a machine says this address is used by another: it is not given for ten minutes',
      );
    return undefined;
  }

  async function release({ request, mac }: Asking): Promise<undefined> {
    if (forUs(request)) await deps.pool.release(mac, request.ciaddr);
    return undefined;
  }

  /** Of a client that has an address from elsewhere; without one there is nowhere to answer it (RFC 2131 section 4.3.5). */
  async function inform({ request, mac, decision, fixed }: Asking): Promise<DhcpMessage | undefined> {
    if (!inNetwork(request.ciaddr)) return undefined;
    return answer(request, MessageType.ack, settingsFor(request.ciaddr, fixed), {
      mac,
      address: NO_ADDRESS,
      decision,
    });
  }

  const byType: Readonly<Record<number, (asking: Asking) => Promise<DhcpMessage | undefined>>> = {
    [MessageType.discover]: discover,
    [MessageType.request]: accept,
    [MessageType.decline]: decline,
    [MessageType.release]: release,
    [MessageType.inform]: inform,
  };

  /** Beside another DHCP server: the boot file only. On port 67 all but DISCOVER is that server's business. */
  function besideAnother({ request, mac, decision }: Asking, port: DhcpPort): DhcpMessage | undefined {
    if (bootRequester(request).kind === 'none') return undefined;
    const type = messageType(request);
    const given = { mac, address: NO_ADDRESS, decision };
    if (type === MessageType.discover) {
      trace.record({ kind: 'dhcp discover', at: now(), mac });
      return bootsOnly(answer(request, MessageType.offer, settings, given));
    }
    const asksBootServer = type === MessageType.request || type === MessageType.inform;
    if (port !== 'boot server' || !asksBootServer) return undefined;
    return bootsOnly(answer(request, MessageType.ack, settings, given));
  }

  return async (request, port) => {
    if (settings.mode === 'off' || request.op !== 1) return undefined;
    if (request.htype !== ETHERNET || request.chaddr.length !== 6) return undefined;
    const mac = macOf(request);
    const uuid = machineUuid(request);
    const fixed = settings.mode === 'reservation' ? await deps.fixedAddresses?.of(mac) : undefined;
    const decision = withFixed(
      await deps.directory.decide({ mac, ...(uuid === undefined ? {} : { uuid }) }),
      fixed,
    );
    // A machine that is not ours is somebody else's to answer.
    if (decision.kind === 'unknown') return undefined;
    const asking = { request, mac, decision, fixed };
    const firmware = firmwareWithoutLoader(request, settings, decision);
    if (firmware !== undefined) {
      deps.warn(
        { mac, ...firmware },
        'there is no network boot program for the firmware of this machine: see tftp.*_loader in the configuration',
      );
    }
    if (settings.mode === 'proxy') return besideAnother(asking, port);
    if (request.giaddr !== NO_ADDRESS && !inNetwork(request.giaddr)) {
      deps.warn(
        { mac, relay: request.giaddr },
        'a relay asks for an address of another network, and only that of `interface` is given out: use dhcp.mode proxy there',
      );
      return undefined;
    }
    return byType[messageType(request) ?? 0]?.(asking);
  };
}

/** A server's card that does not boot from the network is known by its address alone. */
const withFixed = (decision: BootDecision, fixed: FixedAddress | undefined): BootDecision =>
  decision.kind === 'unknown' && fixed !== undefined
    ? { kind: 'nothing', nodeUuid: fixed.nodeUuid }
    : decision;

/** A ProxyDHCP answer without a boot file says nothing and would keep others from being heard. */
const bootsOnly = (reply: DhcpMessage): DhcpMessage | undefined =>
  reply.options.has(Option.bootFile) ? reply : undefined;

/** Only called for Ethernet addresses of six bytes. */
const macOf = ({ chaddr }: DhcpMessage): Mac =>
  [...chaddr].map((byte) => byte.toString(16).padStart(2, '0')).join(':') as Mac;
