/**
 * The verbs on an existing server: each stores its request, and the worker of the server performs it.
 */
import type { Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { RecordPatch } from '../domain/resources.ts';
import type { InstancesDeps } from './deps.ts';
import { faultOf } from './fault.ts';
import type { Instances } from './instances.ts';
import type { Reservations } from './reservations.ts';
import type { ServerRecords } from './server-records.ts';
import type { Asking } from './server-request.ts';
import type { ServerVerb } from './server-states.ts';
import type { ServerWork } from './server-work.ts';

type ServerVerbs = Omit<Instances, 'create' | 'explain' | 'open' | 'close'>;

export function createServerVerbs(
  deps: InstancesDeps & {
    readonly records: ServerRecords;
    readonly reservations: Reservations;
    readonly work: ServerWork;
  },
): ServerVerbs {
  const { driver, networks, records, reservations, work, now } = deps;

  async function begin(
    verb: ServerVerb,
    { uuid }: Server,
    by: Asking,
    patch: RecordPatch<Server> = {},
  ): Promise<Server> {
    const server = await records.begin(verb, uuid, by, patch);
    // a node that was selected for this server becomes free
    reservations.release(uuid);
    work.interrupt(uuid);
    return server;
  }

  /** Verbs that are done before the answer. */
  async function atOnce<T>(
    verb: ServerVerb,
    { uuid }: Server,
    by: Asking,
    run: (server: Server) => Promise<T>,
  ): Promise<T> {
    const server = await records.begin(verb, uuid, by);
    try {
      const result = await run(server);
      await records.close(uuid, null);
      return result;
    } catch (error) {
      await records.close(uuid, faultOf(error, now(), verb));
      throw error;
    }
  }

  return {
    async delete(server, by) {
      await begin('delete', server, by);
    },
    reboot: (server, type, by) => begin(type === 'SOFT' ? 'softReboot' : 'hardReboot', server, by),
    stop: (server, by) => begin('stop', server, by),
    start: (server, by) => begin('start', server, by),
    rebuild: (server, request, by) => begin('rebuild', server, by, request),
    async rescue(server, { adminPass, imageUuid }, by) {
      if (imageUuid !== null) {
        throw new IngotError(
          'unsupported',
          'A rescue image can not be chosen: a machine is rescued with the rescue ramdisk of its node.',
        );
      }
      return begin('rescue', server, by, { adminPass });
    },
    unrescue: (server, by) => begin('unrescue', server, by),
    lock: (server, lockedReason, by) =>
      records.begin('lock', server.uuid, by, { isLocked: true, lockedReason }),
    unlock: (server, by) => records.begin('unlock', server.uuid, by, { isLocked: false, lockedReason: null }),

    async resetState(server, vmState, by) {
      await records.close(server.uuid, { message: 'the state was reset meanwhile', details: null });
      return begin('resetState', server, by, { vmState, taskState: null });
    },

    attachInterface: (server, wanted, by) =>
      atOnce('attachInterface', server, by, async (fresh) => {
        const port = await networks.attach(fresh, wanted, by.tenant);
        await driver.attachInterface(fresh, port.uuid);
        return port;
      }),
    detachInterface: (server, portId, by) =>
      atOnce('detachInterface', server, by, async (fresh) => {
        await driver.detachInterface(fresh, portId);
        await networks.detach(fresh, portId);
      }),
    triggerCrashDump: (server, by) =>
      atOnce('triggerCrashDump', server, by, (fresh) => driver.injectNmi(fresh)),
    console: (server) => driver.console(server),
    consoleOutput: (server, lines) => driver.consoleOutput(server, lines),
  };
}
