/**
 * MAC addresses for ports that are not bound to a node port: from the range that OpenStack uses for generated
 * addresses.
 */
import { randomBytes } from 'node:crypto';

export const newMac = (): string =>
  ['fa', '16', '3e', ...[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':');

/** Lower case with colons; undefined when it is a group address (IEEE 802, bit 0 set) or zero. */
export function parseUnicastMac(text: string): string | undefined {
  const mac = text.trim().toLowerCase().replaceAll('-', ':');
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) || mac === '00:00:00:00:00:00') return undefined;
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1 ? undefined : mac;
}
