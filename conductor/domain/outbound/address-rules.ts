/**
 * Which addresses the conductor may connect to for others, who could reach less of the network than it can. Pure.
 *
 *   ordinary addresses                         always
 *   special-purpose addresses                  if a network of outbound.allow contains them
 *   metadata services, the conductor, BMCs     if outbound.allow names the single address
 *
 * The conductor's own ports on its own addresses are never allowed. An address that contains another one (NAT64, 6to4)
 * needs that both may be reached.
 */
import { formatAddress, holds, type IpAddress, type Prefix, parseAddress } from '../ip-address.ts';
import { embeddedIpv4, type SpecialKind, specialRangeOf, unmapped } from './special-addresses.ts';

export interface AddressRules {
  /** The setting `outbound.allow`. */
  readonly allow: readonly Prefix[];
  /** Addresses of this machine's interfaces, as text. */
  readonly own: readonly string[];
  /** Addresses of BMCs, as text. Other texts are ignored. */
  readonly bmcs: readonly string[];
  /** Ports on which the conductor itself listens; on its own addresses they are never allowed. */
  readonly ownPorts: readonly number[];
}

export const ALLOW_SETTING = 'outbound.allow';

const SINGLE = { 4: 32, 6: 128 } as const;

/** Why there may be no connection to the address, with what to do about it; undefined if there may be one. */
export function refusedAddress(text: string, rules: AddressRules, port: number): string | undefined {
  const parsed = parseAddress(text);
  if (parsed === undefined) return `${text} is not an IP address`;
  const address = unmapped(parsed);
  const embedded = embeddedIpv4(address);
  return refusedOne(address, rules, port) ?? (embedded && refusedOne(embedded, rules, port));
}

function refusedOne(address: IpAddress, rules: AddressRules, port: number): string | undefined {
  const { allow, own, bmcs, ownPorts } = rules;
  const shown = formatAddress(address);
  if (isOwn(address, own) && ownPorts.includes(port))
    return `${shown} port ${port} is the conductor itself, which nothing is fetched from`;
  const networks = allow.filter((network) => holds(network, address));
  const named = networks.some(({ version, length }) => length === SINGLE[version]);
  if (named) return undefined;
  const sensitive = sensitiveName(address, own, bmcs);
  if (sensitive !== undefined)
    return `${shown} is ${sensitive}, which nothing is fetched from. If it must be, name this one address, "${shown}/${SINGLE[address.version]}", in the setting ${ALLOW_SETTING}`;
  const range = specialRangeOf(address);
  if (range === undefined || networks.length > 0) return undefined;
  return `${shown} is ${range.name}, and is in no network of the setting ${ALLOW_SETTING}. If things may be fetched from there, add the address or its network to ${ALLOW_SETTING}`;
}

function sensitiveName(
  address: IpAddress,
  own: readonly string[],
  bmcs: readonly string[],
): string | undefined {
  const range = specialRangeOf(address);
  if (range?.kind === 'metadata') return range.name;
  if (isOwn(address, own)) return "one of the conductor's own addresses";
  return isAmong(address, bmcs) ? "the address of a node's BMC" : undefined;
}

/** A connection to 0.0.0.0 or :: reaches this machine. */
function isOwn(address: IpAddress, own: readonly string[]): boolean {
  const kind = specialRangeOf(address)?.kind;
  return kind === 'loopback' || kind === 'unspecified' || isAmong(address, own);
}

function isAmong(address: IpAddress, texts: readonly string[]): boolean {
  return texts.some((text) => {
    const parsed = parseAddress(text);
    const other = parsed && unmapped(parsed);
    return other?.version === address.version && other.value === address.value;
  });
}

/** Kinds that no agent can have. Agents live in private networks. */
const NO_AGENTS: ReadonlySet<SpecialKind> = new Set([
  'metadata',
  'loopback',
  'link-local',
  'unspecified',
  'multicast',
  'translated',
]);

/** Why an agent cannot be at this address; undefined if it can. `own` are the addresses of this machine. */
export function refusedForCallback(text: string, own: readonly string[]): string | undefined {
  const parsed = parseAddress(text);
  if (parsed === undefined) return `${text} is not an IP address`;
  const address = unmapped(parsed);
  const shown = formatAddress(address);
  const range = specialRangeOf(address);
  if (range !== undefined && NO_AGENTS.has(range.kind)) return `${shown} is ${range.name}`;
  if (isAmong(address, own)) return `${shown} is an address of the conductor`;
  return undefined;
}
