/** Reckoning with dotted IPv4 addresses. Pure; the addresses are taken to be well formed. */
export const toNumber = (dotted: string): number =>
  dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
export const toDotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
export const sameNetwork = (a: string, b: string, netmask: string): boolean =>
  ((toNumber(a) ^ toNumber(b)) & toNumber(netmask)) === 0;
export const broadcastOf = (address: string, netmask: string): string =>
  toDotted((toNumber(address) | ~toNumber(netmask)) >>> 0);
