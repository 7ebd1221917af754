/**
 * Updates servers from their machines: a machine that was powered on or off, or removed, changes its server.
 */
import { POWER_STATES, type Server } from '../domain/compute.ts';
import type { Logger } from '../domain/logger.ts';
import type { Store } from '../domain/store/store.ts';
import type { ComputeDriver } from './driver.ts';
import { faultSaying } from './fault.ts';
import type { ServerPatch } from './server-records.ts';

const PAGE = 500;

export async function syncPowerStates(deps: {
  readonly store: Store;
  readonly driver: Pick<ComputeDriver, 'info' | 'nodeOf'>;
  readonly logger: Logger;
  readonly now: () => Date;
}): Promise<void> {
  const { store, logger, now } = deps;
  for (const vmState of ['active', 'stopped', 'rescued'] as const) {
    let marker: string | undefined;
    do {
      const page = {
        limit: PAGE,
        sortKey: 'id',
        sortDir: 'asc',
        ...(marker === undefined ? {} : { marker }),
      } as const;
      const servers = await store.compute.servers.list({ vmState }, page);
      for (const server of servers) {
        if (server.taskState !== null) continue;
        const patch = await difference(server);
        if (patch === undefined) continue;
        const isStored = await store.transaction(async (tx) => {
          const fresh = await tx.compute.servers.find(server.uuid);
          if (fresh?.taskState !== null || fresh.vmState !== vmState) return false;
          await tx.compute.servers.update(server.uuid, patch, now());
          return true;
        });
        if (isStored) logger.info({ server: server.uuid, was: vmState, ...patch }, 'server follows its node');
      }
      marker = servers.length < PAGE ? undefined : servers.at(-1)?.uuid;
    } while (marker !== undefined);
  }

  async function difference(server: Server): Promise<ServerPatch | undefined> {
    const nodeUuid = await deps.driver.nodeOf(server.uuid);
    if (nodeUuid === undefined) {
      const message = `Node ${server.nodeUuid} does not run the server any more: its instance_uuid was taken away.`;
      return { vmState: 'error', powerState: POWER_STATES.none, fault: faultSaying(message, now()) };
    }
    const { powerState } = await deps.driver.info(server);
    if (powerState === server.powerState || powerState === POWER_STATES.none) return undefined;
    const isOn = powerState === POWER_STATES.running;
    if (server.vmState === 'active' && !isOn) return { powerState, vmState: 'stopped' };
    if (server.vmState === 'stopped' && isOn) return { powerState, vmState: 'active' };
    return { powerState };
  }
}
