/**
 * From where imports may be fetched. The caller may reach less of the network than the conductor does, so by default
 * only ports 80 and 443 are allowed, and never the conductor's own machine or link-local addresses.
 */
import { BlockList, isIP } from 'node:net';
import { IngotError } from '../domain/errors.ts';

export interface ImportRules {
  /** `host:port`; these are allowed whatever their port and address. */
  readonly importHosts: readonly string[];
}

export interface ImportGuard {
  checkUrl(url: URL): void;
  isAllowed(address: string, url: URL): boolean;
}

const PORTS: ReadonlySet<string> = new Set(['', '80', '443']);
const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** This host, loopback, link-local (where clouds serve metadata), multicast and reserved: RFC 6890, RFC 4291. */
const CLOSED: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];
// Addresses mapped from IPv4 are matched by the IPv4 rules.
const closed = new BlockList();
for (const [network, prefix, family] of CLOSED) closed.addSubnet(network, prefix, family);

const isListed = (url: URL, { importHosts }: ImportRules): boolean =>
  importHosts.includes(`${url.hostname}:${url.port || (DEFAULT_PORT[url.protocol] ?? '')}`);

export function importGuard(rules: ImportRules): ImportGuard {
  return {
    checkUrl: (url) => checkUrl(url, rules),
    isAllowed(address, url) {
      if (isListed(url, rules)) return true;
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      return !closed.check(address, family);
    },
  };
}

/** Throws invalidParameter. */
export function parseImportUrl(text: string, rules: ImportRules): URL {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL) throw refused('it is not a URL');
  const guard = importGuard(rules);
  guard.checkUrl(url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.isAllowed(host, url))
    throw refused('images may not be fetched from its address');
  return url;
}

const MAX_URL = 2_048;

function checkUrl(url: URL, rules: ImportRules): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused(`its scheme is ${url.protocol.slice(0, -1)}; http and https are fetched`);
  if (!PORTS.has(url.port) && !isListed(url, rules))
    throw refused(
      `images may be fetched from the ports 80 and 443, and from hosts the operator names; its port is ${url.port}`,
    );
}

const refused = (what: string): IngotError =>
  new IngotError('invalidParameter', `The uri to import from was refused: ${what}.`);
