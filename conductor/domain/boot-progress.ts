/**
 * The progress of a network boot: the last step seen, the first one missing, and how long to wait for it.
 *
 * The conductor sees every step from power-on to the first heartbeat. Each step has its own time limit, and the error
 * names the last step seen and the first one missing.
 */
import type { BootSighting, BootSightingKind } from './boot.ts';
import { BOOT_SIGHTINGS } from './boot.ts';
import type { BootProgress } from './drivers.ts';

interface Gap {
  /** Seconds from this sighting until the next one is overdue. */
  readonly limitSeconds: number;
  /** What is missing when this sighting is the last one. */
  readonly missing: string;
  readonly advice: string;
}

/** Firmware of large servers tests memory for minutes, hence the first limit. */
export const BOOT_GAPS: Readonly<Record<Exclude<BootSightingKind, 'heartbeat' | 'disk boot'>, Gap>> = {
  'power on': {
    limitSeconds: 600,
    missing: 'no DHCP request',
    advice:
      'the machine did not start from the network: check its port MAC addresses, cabling and VLAN, and that the BMC honours the boot device',
  },
  'dhcp discover': {
    limitSeconds: 120,
    missing: 'no DHCP offer was made',
    advice: 'see the conductor log for the reason; the address range may be used up',
  },
  'dhcp offer': {
    limitSeconds: 120,
    missing: 'the machine did not take the offer',
    advice: 'another DHCP server may have answered first, or the answer does not reach the machine',
  },
  'dhcp request': {
    limitSeconds: 120,
    missing: 'the DHCP request was not granted',
    advice: 'see the conductor log',
  },
  'dhcp ack': {
    limitSeconds: 180,
    missing: 'no boot file was fetched',
    advice: 'TFTP (UDP 69) or HTTP from the provisioning network to the conductor may be filtered',
  },
  'nbp start': {
    limitSeconds: 180,
    missing: 'the network boot program was not fetched whole',
    advice: 'look for packet loss or a smaller MTU on the provisioning network',
  },
  'nbp done': {
    limitSeconds: 180,
    missing: 'the boot script was not fetched',
    advice: 'the network boot program did not start or got no address: see the console',
  },
  script: {
    limitSeconds: 180,
    missing: 'the kernel was not fetched',
    advice: 'HTTP from the provisioning network to the conductor may be filtered',
  },
  'kernel start': {
    limitSeconds: 300,
    missing: 'the kernel was not fetched whole',
    advice: 'see the console',
  },
  'kernel done': { limitSeconds: 300, missing: 'the ramdisk was not fetched', advice: 'see the console' },
  'ramdisk start': {
    limitSeconds: 600,
    missing: 'the ramdisk was not fetched whole',
    advice: 'see the console',
  },
  'ramdisk done': {
    limitSeconds: 300,
    missing: 'no lookup from the agent',
    advice:
      'the ramdisk booted but has no driver for its network card, no address, no route, or no agent: see the console',
  },
  lookup: {
    limitSeconds: 180,
    missing: 'no heartbeat from the agent',
    advice: 'the agent found its node but cannot be reached or stopped: see the console',
  },
};

const order = (kind: BootSightingKind): number => BOOT_SIGHTINGS.indexOf(kind);
const isGap = (kind: BootSightingKind): kind is keyof typeof BOOT_GAPS => Object.hasOwn(BOOT_GAPS, kind);
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

function describe(sighting: BootSighting): string {
  const bytes = sighting.bytes === undefined ? '' : `, ${sighting.bytes.toLocaleString('en-US')} bytes`;
  const detail = sighting.detail === undefined ? '' : ` (${sighting.detail}${bytes})`;
  return `${sighting.kind}${detail || (bytes && ` (${bytes.slice(2)})`)}`;
}

/**
 * Judges the sightings since `since`, oldest first. Every limit is multiplied by `scale`, for slow machines. The
 * farthest step counts, not the newest, because firmware repeats DHCP at each stage.
 */
export function judgeBoot(
  sightings: readonly BootSighting[],
  since: Date,
  now: Date,
  options: { scale: number; overallLimitMs: number },
): BootProgress {
  const powerOn: BootSighting = { kind: 'power on', at: since };
  const farthest = sightings
    .filter((sighting) => sighting.at >= since && isGap(sighting.kind))
    .reduce((best, sighting) => (order(sighting.kind) >= order(best.kind) ? sighting : best), powerOn);
  const gap = BOOT_GAPS[farthest.kind as keyof typeof BOOT_GAPS];
  const limitMs = gap.limitSeconds * 1000 * options.scale;
  const overall = since.getTime() + options.overallLimitMs;
  const deadline = new Date(Math.min(farthest.at.getTime() + limitMs, overall));
  const after = `${seconds(farthest.at.getTime() - since.getTime())} after power-on`;
  return {
    deadline,
    overdue: now >= deadline,
    message: `network boot stopped: ${describe(farthest)} was seen ${after}, then ${gap.missing} within ${seconds(deadline.getTime() - farthest.at.getTime())}; ${gap.advice}`,
  };
}
