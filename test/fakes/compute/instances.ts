/**
 * Instances without machines: requests are stored and completed at once, except builds, which `build` completes. Every
 * call is in `calls`.
 */
import { randomUUID } from 'node:crypto';
import type { Server } from '@ingot/conductor/domain/compute.ts';
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import type { RecordPatch } from '@ingot/conductor/domain/resources.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import type { ServerNetworks } from '@ingot/conductor/network-service/server-networks.ts';
import type { Instances } from '@ingot/conductor/servers/instances.ts';
import { newServers } from '@ingot/conductor/servers/new-servers.ts';
import type { Asking } from '@ingot/conductor/servers/server-request.ts';

export interface FakeInstances extends Instances {
  readonly calls: readonly (readonly [verb: string, ...args: unknown[]])[];
  /** Completes a build: the server runs on this node. */
  build(uuid: string, place: { readonly host: string; readonly nodeUuid: string }): Promise<Server>;
}

export function createFakeInstances(deps: {
  readonly store: Store;
  readonly networks: ServerNetworks;
  readonly now: () => Date;
}): FakeInstances {
  const { store, networks, now } = deps;
  const { servers, instanceActions } = store.compute;
  const calls: [string, ...unknown[]][] = [];

  async function act(
    server: Server,
    action: string,
    by: Asking,
    patch: RecordPatch<Server>,
  ): Promise<Server> {
    if (server.isLocked && !by.tenant.isAdmin && !['lock', 'unlock'].includes(action))
      throw new IngotError('conflict', `Instance ${server.uuid} is locked`);
    const at = now();
    const event = {
      event: `compute_${action}_instance`,
      startTime: at.toISOString(),
      finishTime: at.toISOString(),
      result: 'Success' as const,
      details: null,
    };
    await instanceActions.create(
      {
        uuid: randomUUID(),
        serverUuid: server.uuid,
        action,
        requestId: by.requestId,
        projectId: by.tenant.projectId,
        userId: by.tenant.userId,
        message: null,
        finishedAt: at,
        events: [event],
      },
      at,
    );
    return servers.update(server.uuid, patch, at);
  }

  const idle = (vmState: Server['vmState'], powerState: Server['powerState']): RecordPatch<Server> => ({
    vmState,
    powerState,
    taskState: null,
  });

  return {
    calls,

    async create(request) {
      calls.push(['create', request]);
      const made: Server[] = [];
      for (const record of newServers(request)) {
        made.push(await act(await servers.create(record, now()), 'create', request, {}));
      }
      return made;
    },

    async build(uuid, { host, nodeUuid }) {
      const server = await servers.update(
        uuid,
        { ...idle('active', 1), host, nodeUuid, launchedAt: now() },
        now(),
      );
      await networks.allocate(server, { ...server, isAdmin: false, isMember: true });
      await networks.bind(server, nodeUuid);
      return server;
    },

    async delete(server, by) {
      await act(server, 'delete', by, { ...idle('deleted', 0), terminatedAt: now() });
      await networks.release(server);
    },

    reboot: (server, type, by) => {
      calls.push(['reboot', type]);
      return act(server, 'reboot', by, { taskState: type === 'SOFT' ? 'rebooting' : 'rebooting_hard' });
    },
    stop: (server, by) => act(server, 'stop', by, idle('stopped', 4)),
    start: (server, by) => act(server, 'start', by, idle('active', 1)),
    rebuild(server, request, by) {
      calls.push(['rebuild', request]);
      return act(server, 'rebuild', by, { ...request, taskState: 'rebuilding' });
    },
    rescue(server, request, by) {
      calls.push(['rescue', request]);
      return act(server, 'rescue', by, idle('rescued', 1));
    },
    unrescue: (server, by) => act(server, 'unrescue', by, idle('active', 1)),
    lock: (server, lockedReason, by) => act(server, 'lock', by, { isLocked: true, lockedReason }),
    unlock: (server, by) => act(server, 'unlock', by, { isLocked: false, lockedReason: null }),
    resetState: (server, vmState, by) => act(server, 'resetState', by, { vmState, taskState: null }),
    attachInterface: (server, wanted, by) => networks.attach(server, wanted, by.tenant),
    detachInterface: (server, portId) => networks.detach(server, portId),
    async triggerCrashDump(server) {
      calls.push(['triggerCrashDump', server.uuid]);
    },
    async console({ nodeUuid }) {
      if (nodeUuid === null)
        throw new IngotError('unsupported', 'The server has no node, so it has no console.');
      return { type: 'serial', url: `ws://console.test/${nodeUuid}` };
    },
    async consoleOutput(_server, lines) {
      const all = ['Booting\u0007', 'Welcome', 'login:'];
      return all.slice(lines === null ? 0 : -lines).join('\n');
    },
    explain: async () => ({}),
    open: async () => undefined,
    close: async () => undefined,
  };
}
