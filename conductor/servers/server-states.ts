/**
 * The states in which each verb of servers is allowed, and its effect: Nova's rules (compute/api.py), without the
 * states that a machine can not have.
 *
 *   from      vm states in which it is allowed
 *   during    task states in which it is allowed; null is none
 *   launched  only for a server that has been active once
 *   task      the task state that it stores; a worker then does the work. null: done at once
 *   to        the vm state after the work
 *   spoils    the server is in error when the work fails; else its state stays
 *
 * Instance actions show `action` and `event`.
 */
import { type Server, TASK_STATES, type TaskState, type VmState } from '../domain/compute.ts';
import { IngotError, notFound } from '../domain/errors.ts';

export interface VerbSpec {
  readonly action: string;
  readonly event: string | null;
  readonly from: readonly VmState[];
  readonly during: readonly (TaskState | null)[];
  readonly launched: boolean;
  readonly task: TaskState | null;
  readonly to: VmState | null;
  readonly spoils: boolean;
}

const ANY: readonly VmState[] = ['building', 'active', 'stopped', 'rescued', 'error'];
const ANYTIME: readonly (TaskState | null)[] = [null, ...TASK_STATES];
const IDLE = [null] as const;
const ATTACHED: readonly VmState[] = ['active', 'stopped'];

const at = { launched: true, spoils: false, during: IDLE } as const;
const once = { ...at, task: null, to: null } as const;

// biome-ignore format: columns
export const SERVER_VERBS = {
  delete:      { ...at, action: 'delete', event: 'compute_terminate_instance', from: ANY, during: ANYTIME, launched: false, task: 'deleting', to: 'deleted', spoils: true },
  stop:        { ...at, action: 'stop', event: 'compute_stop_instance', from: ['active', 'error'], task: 'powering-off', to: 'stopped' },
  start:       { ...at, action: 'start', event: 'compute_start_instance', from: ['stopped'], task: 'powering-on', to: 'active' },
  softReboot:  { ...at, action: 'reboot', event: 'compute_reboot_instance', from: ['active'], task: 'rebooting', to: 'active' },
  hardReboot:  { ...at, action: 'reboot', event: 'compute_reboot_instance', from: ['active', 'stopped', 'error'], during: [null, 'rebooting', 'rebooting_hard'], task: 'rebooting_hard', to: 'active' },
  rebuild:     { ...at, action: 'rebuild', event: 'compute_rebuild_instance', from: ['active', 'stopped', 'error'], task: 'rebuilding', to: 'active', spoils: true },
  rescue:      { ...at, action: 'rescue', event: 'compute_rescue_instance', from: ['active', 'stopped', 'error'], task: 'rescuing', to: 'rescued', spoils: true },
  unrescue:    { ...at, action: 'unrescue', event: 'compute_unrescue_instance', from: ['rescued'], task: 'unrescuing', to: 'active', spoils: true },

  attachInterface:  { ...once, action: 'attach_interface', event: 'compute_attach_interface', from: ATTACHED },
  detachInterface:  { ...once, action: 'detach_interface', event: 'compute_detach_interface', from: ATTACHED },
  triggerCrashDump: { ...once, action: 'trigger_crash_dump', event: 'compute_trigger_crash_dump', from: ['active', 'rescued', 'error'] },
  lock:             { ...once, action: 'lock', event: null, from: ANY, during: ANYTIME, launched: false },
  unlock:           { ...once, action: 'unlock', event: null, from: ANY, during: ANYTIME, launched: false },
  resetState:       { ...once, action: 'resetState', event: null, from: ANY, during: ANYTIME, launched: false },
} as const satisfies Record<string, VerbSpec>;

export type ServerVerb = keyof typeof SERVER_VERBS;

/** The task states of a build in order. After any failure it begins with the first again. */
export const BUILD_TASKS = ['scheduling', 'networking', 'block_device_mapping', 'spawning'] as const;
export type BuildTask = (typeof BUILD_TASKS)[number];
export const CREATE = { action: 'create', event: 'compute__do_build_and_run_instance' } as const;

export function isBuildTask(task: TaskState): task is BuildTask {
  return (BUILD_TASKS as readonly TaskState[]).includes(task);
}

/** The verb that stores this task state. */
export function verbOf(task: Exclude<TaskState, BuildTask>): VerbSpec & { readonly to: VmState } {
  const spec = Object.values(SERVER_VERBS).find((one) => one.task === task);
  if (spec?.to == null) throw new Error(`no verb has the task state ${task}`);
  return spec as VerbSpec & { readonly to: VmState };
}

/** Allowed on a locked server; these verbs have their own checks. */
const LOCK_VERBS: readonly ServerVerb[] = ['lock', 'unlock'];

/** Throws notFound for a deleted server, conflict with Nova's text when the verb is not allowed now. */
export function checkVerb(verb: ServerVerb, server: Server, by: { readonly isAdmin: boolean }): void {
  const { action, from, during, launched }: VerbSpec = SERVER_VERBS[verb];
  const { uuid, vmState, taskState } = server;
  if (vmState === 'deleted') throw notFound('Instance', uuid);
  if (server.isLocked && !by.isAdmin && !LOCK_VERBS.includes(verb)) {
    throw new IngotError('conflict', `Instance ${uuid} is locked`);
  }
  const refuse = (attribute: string, state: string): never => {
    throw new IngotError(
      'conflict',
      `Cannot '${action}' instance ${uuid} while it is in ${attribute} ${state}`,
    );
  };
  if (!from.includes(vmState)) refuse('vm_state', vmState);
  if (!during.includes(taskState)) refuse('task_state', String(taskState));
  if (launched && server.launchedAt === null) {
    throw new IngotError('conflict', `Instance ${uuid} is in an invalid state for '${action}'`);
  }
}
