/**
 * The status in answers, from a server's state (vmState) and its running work (taskState). Nova API guide, "Server
 * concepts".
 */
import type { PowerStateNumber, Server, TaskState, VmState } from '../../../domain/compute.ts';

interface Statuses {
  readonly rest: string;
  /** Task states with a status of their own. */
  readonly during: Readonly<Partial<Record<TaskState, string>>>;
}

const REBUILDING = { rebuilding: 'REBUILD' } as const;

const STATUSES: Readonly<Record<VmState, Statuses>> = {
  building: { rest: 'BUILD', during: {} },
  active: {
    rest: 'ACTIVE',
    during: { rebooting: 'REBOOT', rebooting_hard: 'HARD_REBOOT', ...REBUILDING },
  },
  stopped: { rest: 'SHUTOFF', during: REBUILDING },
  rescued: { rest: 'RESCUE', during: {} },
  // Nova leaves this at ERROR, which clients that wait for the server to go take for a failure of that
  error: { rest: 'ERROR', during: { ...REBUILDING, deleting: 'DELETED' } },
  deleted: { rest: 'DELETED', during: {} },
};

/** Statuses of Nova that servers here never have, but that requests may name. */
const NEVER = [
  'MIGRATING',
  'PASSWORD',
  'PAUSED',
  'RESIZE',
  'REVERT_RESIZE',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SOFT_DELETED',
  'SUSPENDED',
  'VERIFY_RESIZE',
];

export const STATUS_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(STATUSES).flatMap(({ rest, during }) => [rest, ...Object.values(during)]),
  ...NEVER,
]);

export function statusOf({ vmState, taskState }: Pick<Server, 'vmState' | 'taskState'>): string {
  const { rest, during } = STATUSES[vmState];
  return (taskState === null ? undefined : during[taskState]) ?? rest;
}

/** Names in diagnostics, API 2.48. */
export const POWER_STATE_NAMES: Readonly<Record<PowerStateNumber, string>> = {
  0: 'pending',
  1: 'running',
  4: 'shutdown',
};
