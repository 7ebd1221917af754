/**
 * Parses `host:port` and checks whether a host is this machine.
 */
import { BlockList, isIP } from 'node:net';

export interface HostPort {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = Number(match[3]);
  if (port > 65_535 || (match[1] !== undefined && isIP(host) !== 6)) return undefined;
  return { host, port };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Other names than `localhost` may resolve to any address, so they are not loopback. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** The form that `parseHostPort` reads. */
export const hostPortText = ({ host, port }: HostPort): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
