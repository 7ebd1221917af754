/**
 * Whether a compute service is up and accepts work: it reports regularly, and nobody has disabled it or forced it down.
 */
import type { ComputeService } from '../domain/compute.ts';

export type ServiceState = Pick<
  ComputeService,
  'host' | 'isDisabled' | 'disabledReason' | 'forcedDown' | 'reportedAt'
>;

/** The reason why it accepts no work; undefined if it does. `downMs`: time without a report after which it is down. */
export function whyRefusing(service: ServiceState, now: Date, downMs: number): string | undefined {
  if (!service.isDisabled) return whyDown(service, now, downMs);
  return `compute service ${service.host} is disabled: ${service.disabledReason || 'no reason given'}`;
}

export const isUp = (service: ServiceState, now: Date, downMs: number): boolean =>
  whyDown(service, now, downMs) === undefined;

function whyDown(
  { host, forcedDown, reportedAt }: ServiceState,
  now: Date,
  downMs: number,
): string | undefined {
  if (forcedDown) return `compute service ${host} is forced down`;
  if (reportedAt === null) return `compute service ${host} has never reported`;
  const silentMs = now.getTime() - reportedAt.getTime();
  if (silentMs <= downMs) return undefined;
  return `compute service ${host} has not reported for ${Math.round(silentMs / 1_000)} s`;
}
