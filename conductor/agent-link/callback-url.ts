/**
 * Which `callback_url` of a heartbeat is believed. The conductor sends commands with the agent's token there, so it
 * must be the machine's own address, and no URL that makes the conductor call itself or another service. Pure.
 */
import { holds, type IpAddress, type Prefix, parseAddress } from '../domain/ip-address.ts';
import { refusedForCallback } from '../domain/outbound/address-rules.ts';
import { unmapped } from '../domain/outbound/special-addresses.ts';

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

/** Why the URL is refused; undefined if it is believed. */
export function callbackProblem(url: string, rules: CallbackRules): string | undefined {
  const parsed = FORM.test(url) ? URL.parse(url) : null;
  const host = parsed?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const address = addressOf(host);
  if (parsed === null || address === undefined) {
    return 'callback_url must be an http or https URL of an IP address and a port, without user, path, query and fragment.';
  }
  if (parsed.protocol === 'http:' && !rules.allowPlaintext) {
    return 'callback_url must be https, because agent.allow_plaintext is off.';
  }
  if (rules.allowed.some((network) => holds(network, address))) return undefined;
  const refused = refusedForCallback(host, rules.own);
  if (refused !== undefined) return `callback_url must lead to the machine, but ${refused}.`;
  if (rules.machine.some((text) => isSame(addressOf(text), address))) return undefined;
  return `callback_url must lead to ${rules.machineIs}, or to a network of agent.callback_allow.`;
}

const addressOf = (text: string): IpAddress | undefined => {
  const address = parseAddress(text);
  return address && unmapped(address);
};

const isSame = (a: IpAddress | undefined, b: IpAddress): boolean =>
  a !== undefined && a.version === b.version && a.value === b.value;
