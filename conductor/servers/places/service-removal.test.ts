import { afterEach, beforeEach, expect, it } from 'vitest';
import { serverOf } from '../../../test/fakes/compute/records.ts';
import type { ComputeService } from '../../domain/compute.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { openStore } from '../../store/sqlite/store.ts';
import { removeService } from './service-removal.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const SILENT = new Date(NOW.getTime() - 61_000);
let store: Store;
beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
});
afterEach(() => store.close());

const service = (binary: ComputeService['binary'], reportedAt = SILENT) =>
  store.compute.computeServices.create(
    { uuid: binary, binary, host: 'c1', isDisabled: false, forcedDown: false, reportedAt },
    NOW,
  );
const remove = (one: ComputeService) => removeService(store, one, NOW, 60_000);
const left = async () => (await listAll(store.compute.computeServices, {})).map(({ uuid }) => uuid);

it('a service that is down leaves with its place in aggregates', async () => {
  await store.compute.aggregates.create({ uuid: 'a1', name: 'all', hosts: ['c1', 'n1'], metadata: {} }, NOW);
  await remove(await service('nova-compute'));
  expect(await left()).toEqual([]);
  expect(await store.compute.aggregates.find('a1')).toMatchObject({ hosts: ['n1'] });
});

it('a service that is up stays', async () => {
  await expect(remove(await service('nova-compute', NOW))).rejects.toMatchObject({ code: 'conflict' });
  expect(await left()).toEqual(['nova-compute']);
});

it('a service with servers stays until they are deleted; a scheduler has none', async () => {
  const { id: _, createdAt: _created, updatedAt: _updated, ...server } = serverOf({ host: 'c1' });
  await store.compute.servers.create(server, NOW);
  const compute = await service('nova-compute');
  await expect(remove(compute)).rejects.toThrow('is hosting instances');
  await remove(await service('nova-scheduler'));
  expect(await left()).toEqual(['nova-compute']);
  await store.compute.servers.update(server.uuid, { vmState: 'deleted' }, NOW);
  await remove(compute);
  expect(await left()).toEqual([]);
});
