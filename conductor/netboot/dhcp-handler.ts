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
import type { BootDecision, BootDirectory, BootTrace, LeaseStore, Mac } from '../domain/boot.ts';
import { type AddressPool, toNumber } from './address-pool.ts';
import { answer, type DhcpSettings, macOf, refusal } from './dhcp-answer.ts';

export interface DhcpHandlerDeps {
  readonly settings: DhcpSettings;
  readonly directory: BootDirectory;
  readonly leases: LeaseStore;
  readonly pool: AddressPool;
  readonly trace: BootTrace;
  readonly now: () => Date;
  readonly warn: (fields: object, text: string) => void;
}

const NONE = '0.0.0.0';
const ETHERNET = 1;

export type DhcpHandler = (request: DhcpMessage) => Promise<DhcpMessage | undefined>;

export function createDhcpHandler(deps: DhcpHandlerDeps): DhcpHandler {
  const { settings, trace, now } = deps;
  const ours = (message: DhcpMessage): boolean => {
    const server = decodeAddress(message.options.get(Option.serverId));
    return server === undefined || server === settings.address;
  };
  const inNetwork = (address: string): boolean => {
    const mask = toNumber(settings.netmask);
    return (toNumber(address) & mask) === (toNumber(settings.address) & mask);
  };

  async function discover(
    request: DhcpMessage,
    mac: Mac,
    decision: BootDecision,
  ): Promise<DhcpMessage | undefined> {
    trace.record({ kind: 'dhcp discover', at: now(), mac });
    if (settings.mode === 'proxy') {
      return bootRequester(request).kind === 'none'
        ? undefined
        : answer(request, MessageType.offer, settings, { address: NONE, decision });
    }
    const address = await deps.pool.lease(mac, decodeAddress(request.options.get(Option.requestedAddress)));
    if (address === undefined) {
      deps.warn(
        { mac, range: `${settings.rangeStart}-${settings.rangeEnd}` },
        'no address is left in dhcp.range; enlarge it',
      );
      return undefined;
    }
    trace.record({ kind: 'dhcp offer', at: now(), mac, detail: address });
    return answer(request, MessageType.offer, settings, { address, decision });
  }

  async function accept(
    request: DhcpMessage,
    mac: Mac,
    decision: BootDecision,
  ): Promise<DhcpMessage | undefined> {
    if (!ours(request)) return undefined;
    if (settings.mode === 'proxy') {
      return bootRequester(request).kind === 'none'
        ? undefined
        : answer(request, MessageType.ack, settings, { address: NONE, decision });
    }
    trace.record({ kind: 'dhcp request', at: now(), mac });
    const wanted =
      decodeAddress(request.options.get(Option.requestedAddress)) ??
      (request.ciaddr === NONE ? undefined : request.ciaddr);
    if (wanted === undefined) return undefined;
    if (!inNetwork(wanted)) return refusal(request, settings, `${wanted} is not in this network`);
    const address = await deps.pool.lease(mac, wanted);
    if (address !== wanted) return refusal(request, settings, `${wanted} is not yours`);
    trace.record({ kind: 'dhcp ack', at: now(), mac, detail: address });
    return answer(request, MessageType.ack, settings, { address, decision });
  }

  async function decline(request: DhcpMessage, mac: Mac): Promise<undefined> {
    const address = decodeAddress(request.options.get(Option.requestedAddress));
    if (!ours(request) || address === undefined || (await deps.leases.byMac(mac))?.address !== address)
      return undefined;
    deps.warn({ mac, address }, 'a machine says this address is used by another: it is put aside');
    deps.pool.putAside(address);
    await deps.leases.release(mac);
    return undefined;
  }

  /** The lease stays known, so that the machine gets the same address again; only its time is over. */
  async function release(request: DhcpMessage, mac: Mac): Promise<undefined> {
    const lease = await deps.leases.byMac(mac);
    if (ours(request) && lease?.address === request.ciaddr)
      await deps.leases.put({ ...lease, expiresAt: now() }, now());
    return undefined;
  }

  return async (request) => {
    if (
      settings.mode === 'off' ||
      request.op !== 1 ||
      request.htype !== ETHERNET ||
      request.chaddr.length !== 6
    )
      return undefined;
    const mac = macOf(request);
    const uuid = machineUuid(request);
    const decision = await deps.directory.decide({ mac, ...(uuid === undefined ? {} : { uuid }) });
    // A machine that is not ours is somebody else's to answer.
    if (decision.kind === 'unknown') return undefined;
    switch (messageType(request)) {
      case MessageType.discover:
        return discover(request, mac, decision);
      case MessageType.request:
        return accept(request, mac, decision);
      case MessageType.decline:
        return decline(request, mac);
      case MessageType.release:
        return release(request, mac);
      case MessageType.inform:
        return answer(request, MessageType.ack, settings, { address: NONE, decision });
      default:
        return undefined;
    }
  };
}
