/**
 * Settings of the engine: limits of its work, cleaning, power sync.
 */
import { DAY_SECONDS, type Settings, type SettingValues } from '../domain/setting.ts';

export const ENGINE_SETTINGS = {
  bootTimeoutMs: {
    name: 'boot.timeout_seconds',
    type: 'integer',
    default: 1800,
    min: 60,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Time limit for one network boot, from power-on to the first heartbeat.',
  },
  bootLimitScale: {
    name: 'boot.limit_scale',
    type: 'number',
    default: 1,
    min: 0.1,
    max: 100,
    unit: 'times',
    help: 'Multiplies the time limit of every boot step; raise it for slow firmware or emulated machines.',
  },
  commandTimeoutMs: {
    name: 'agent.command_timeout_seconds',
    type: 'integer',
    default: 60,
    min: 5,
    max: 3600,
    unit: 'seconds',
    help: 'Time limit for an agent command that neither writes an image nor erases disks.',
  },
  longCommandTimeoutMs: {
    name: 'agent.long_command_timeout_seconds',
    type: 'integer',
    default: 6 * 3600,
    min: 60,
    max: 30 * DAY_SECONDS,
    unit: 'seconds',
    help: 'Time limit for writing an image and for one erase step.',
  },
  lockQueueMs: {
    name: 'engine.lock_queue_seconds',
    type: 'number',
    default: 10,
    min: 0,
    max: 300,
    unit: 'seconds',
    help: 'How long a request waits for a locked node before it gets 409.',
  },
  holdDeadlineMs: {
    name: 'engine.hold_deadline_seconds',
    type: 'integer',
    default: 3600,
    min: 60,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Longest time for which one piece of work may lock a node.',
  },
  automatedClean: {
    name: 'engine.automated_clean',
    type: 'flag',
    default: true,
    help: 'Clean nodes on `provide` and after `undeploy`. The `automated_clean` of a node takes precedence.',
  },
  powerSyncIntervalMs: {
    name: 'power_sync.interval_seconds',
    type: 'integer',
    default: 120,
    min: 5,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'How often the power state of every node is read from its BMC.',
  },
  powerSyncWorkers: {
    name: 'power_sync.workers',
    type: 'integer',
    default: 64,
    min: 1,
    max: 1024,
    help: 'Number of BMCs that are queried at the same time.',
  },
  powerSyncMaxFailures: {
    name: 'power_sync.max_failures',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    help: 'Number of consecutive failures of the power sync after which a node goes into maintenance.',
  },
} as const satisfies Settings;

export type EngineSettings = SettingValues<typeof ENGINE_SETTINGS> & {
  /** Conductor host name: the owner of locks. */
  readonly host: string;
  /** The group of nodes that this conductor serves; '' means nodes without a group. */
  readonly conductorGroup: string;
};
