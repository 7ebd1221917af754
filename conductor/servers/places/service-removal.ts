/**
 * Deletes a compute service: one that is down and has no servers. Its aggregates lose it.
 */
import type { ComputeService } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import type { ComputeStore } from '../../domain/store/compute.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { isUp } from '../../scheduler/service-state.ts';

/** Throws conflict for a service that is up or has servers. `downMs`: the time without a report after which it is down. */
export async function removeService(
  store: Store,
  service: ComputeService,
  now: Date,
  downMs: number,
): Promise<void> {
  if (isUp(service, now, downMs)) {
    throw new IngotError(
      'conflict',
      `Unable to delete service ${service.host}: it is up and would be back with its next report. Stop it first.`,
    );
  }
  await store.transaction(async ({ compute }) => {
    if (await hasServers(compute, service)) {
      throw new IngotError(
        'conflict',
        'Unable to delete compute service that is hosting instances. Migrate or delete the instances first.',
      );
    }
    for (const { uuid, hosts } of await listAll(compute.aggregates, {})) {
      const left = hosts.filter((host) => host !== service.host);
      if (left.length < hosts.length) await compute.aggregates.update(uuid, { hosts: left }, now);
    }
    await compute.computeServices.delete(service.uuid);
  });
}

async function hasServers({ servers }: ComputeStore, { binary, host }: ComputeService): Promise<boolean> {
  if (binary !== 'nova-compute') return false;
  return (await listAll(servers, { host })).some(({ vmState }) => vmState !== 'deleted');
}
