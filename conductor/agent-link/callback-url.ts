/**
 * Which `callback_url` of a heartbeat is believed. The conductor sends commands with the agent's token there, so it
 * must be the machine's own address, and no URL that makes the conductor call itself or another service. Pure.
 */
import { holds, type IpAddress, type Prefix, parseAddress, parsePrefix } from '../domain/ip-address.ts';

export interface CallbackRules {
  /** Whether the URL may be http. */
  readonly allowPlaintext: boolean;
  /** Any address of these networks is believed. */
  readonly allowed: readonly Prefix[];
  /** The addresses that the machine has: its leases, or the source address of the heartbeat. */
  readonly machine: readonly string[];
  /** What `machine` is, for the error. */
  readonly machineIs: string;
  /** The conductor's own addresses. */
  readonly own: readonly string[];
}

/** Nothing but scheme, address and port. User info, path, query, fragment and names of hosts do not match. */
const FORM = /^https?:\/\/(?:[0-9.]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

const NOT_MACHINES: readonly (readonly [what: string, networks: readonly string[]])[] = [
  ['a loopback address', ['127.0.0.0/8', '::1']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['an address of a cloud metadata service', ['fd00:ec2::254', '100.100.100.200', '168.63.129.16']],
  ['no address of a host', ['0.0.0.0/8', '224.0.0.0/3', '::', 'ff00::/8']],
];

/** Why the URL is refused; undefined if it is believed. */
export function callbackProblem(url: string, rules: CallbackRules): string | undefined {
  const parsed = FORM.test(url) ? URL.parse(url) : null;
  const address = parsed === null ? undefined : addressOf(parsed.hostname);
  if (parsed === null || address === undefined) {
    return 'callback_url must be an http or https URL of an IP address and a port, without user, path, query and fragment.';
  }
  if (parsed.protocol === 'http:' && !rules.allowPlaintext) {
    return 'callback_url must be https, because agent.allow_plaintext is off.';
  }
  if (rules.allowed.some((network) => holds(network, address))) return undefined;
  const kind = kindOf(address, rules.own);
  if (kind !== undefined) return `callback_url must lead to the machine, but its host is ${kind}.`;
  if (rules.machine.some((text) => isSame(addressOf(text), address))) return undefined;
  return `callback_url must lead to ${rules.machineIs}, or to a network of agent.callback_allow.`;
}

function kindOf(address: IpAddress, own: readonly string[]): string | undefined {
  if (own.some((text) => isSame(addressOf(text), address))) return 'an address of the conductor';
  return NOT_MACHINES.find(([, networks]) =>
    networks.some((network) => holds(parsePrefix(network) as Prefix, address)),
  )?.[0];
}

/** An IPv4 address that is embedded in IPv6 (`::ffff:10.0.0.1`) counts as that IPv4 address. */
export function addressOf(text: string): IpAddress | undefined {
  const address = parseAddress(text.replace(/^\[|\]$/g, ''));
  const isMapped = address?.version === 6 && address.value >> 32n === 0xffffn;
  return isMapped ? { version: 4, value: address.value & 0xffff_ffffn } : address;
}

const isSame = (a: IpAddress | undefined, b: IpAddress): boolean =>
  a !== undefined && a.version === b.version && a.value === b.value;
