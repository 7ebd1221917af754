/**
 * The work of each task state of a built server: what the driver does, and the state of the server afterwards. A
 * failed task leaves a fault, and the server in error when the verb's row says so.
 */
import { POWER_STATES, type Server, type TaskState } from '../domain/compute.ts';
import type { InstancesDeps } from './deps.ts';
import type { ComputeDriver } from './driver.ts';
import { faultOf } from './fault.ts';
import { planFor } from './server-configuration.ts';
import type { ServerPatch, ServerRecords } from './server-records.ts';
import { type BuildTask, verbOf } from './server-states.ts';

type ServerTask = Exclude<TaskState, BuildTask>;

interface Context {
  readonly deps: InstancesDeps;
  readonly driver: ComputeDriver;
  readonly server: Server;
  readonly signal: AbortSignal;
}

/** Each returns the changes of the server in addition to the vm state after the verb. */
const TASKS: Readonly<Record<ServerTask, (context: Context) => Promise<ServerPatch>>> = {
  'powering-off': async ({ driver, server, signal }) => {
    await driver.powerOff(server, signal);
    return { powerState: POWER_STATES.shutdown };
  },
  'powering-on': async ({ driver, server, signal }) => {
    await driver.powerOn(server, signal);
    return { powerState: POWER_STATES.running };
  },
  rebooting: async ({ driver, server, signal }) => {
    await driver.reboot(server, 'SOFT', signal);
    return { powerState: POWER_STATES.running };
  },
  rebooting_hard: async ({ driver, server, signal }) => {
    await driver.reboot(server, 'HARD', signal);
    return { powerState: POWER_STATES.running };
  },
  rebuilding: async ({ deps, driver, server, signal }) => {
    await driver.rebuild(server, await planFor(deps, server), signal);
    const patch = { powerState: POWER_STATES.running, adminPass: null, launchedAt: deps.now() };
    // Nova: a server that was stopped is stopped again
    return server.vmState === 'stopped' ? { ...patch, taskState: 'powering-off' } : patch;
  },
  rescuing: async ({ driver, server, signal }) => {
    await driver.rescue(server, server.adminPass ?? '', signal);
    return { powerState: POWER_STATES.running, adminPass: null };
  },
  unrescuing: async ({ driver, server, signal }) => {
    await driver.unrescue(server, signal);
    return { powerState: POWER_STATES.running };
  },
  deleting: async ({ deps, driver, server, signal }) => {
    await deps.networks.unbind(server);
    await driver.destroy(server, signal);
    await deps.networks.release(server);
    return {
      powerState: POWER_STATES.none,
      host: null,
      nodeUuid: null,
      alternates: [],
      adminPass: null,
      terminatedAt: deps.now(),
    };
  },
};

export function createServerTasks(
  deps: InstancesDeps & { readonly records: ServerRecords },
): (server: Server, task: ServerTask, signal: AbortSignal) => Promise<void> {
  const { driver, records, logger, now } = deps;
  return async (server, task, signal) => {
    const { to, spoils, action } = verbOf(task);
    try {
      const patch = await TASKS[task]({ deps, driver, server, signal });
      if (patch.taskState !== undefined) {
        await records.advance(server.uuid, task, { ...patch, fault: null });
      } else {
        await records.end(server.uuid, task, { ...patch, vmState: to, fault: null }, null);
      }
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, now(), `${action} on node ${server.nodeUuid}`);
      logger.warn({ server: server.uuid, action, reason: fault.message }, 'work on a server failed');
      const patch: ServerPatch = { fault, adminPass: null, ...(spoils ? { vmState: 'error' } : {}) };
      const { message, details } = fault;
      await records.end(server.uuid, task, patch, { message, details });
    }
  };
}
