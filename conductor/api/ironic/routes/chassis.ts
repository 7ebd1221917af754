/**
 * `/v1/chassis` and `/v1/chassis/{chassis}/nodes`.
 */
import { randomUUID } from 'node:crypto';
import { CHASSIS_FIELDS, CHASSIS_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Chassis } from '../../../domain/resources.ts';
import type { App } from '../../kit/app.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';

export function registerChassis(app: App, deps: ApiDeps): void {
  const { store } = deps;
  registerCollection<Chassis, Record<string, never>>(app, deps, {
    path: 'chassis',
    key: 'chassis',
    singular: 'chassis',
    since: 1,
    fields: CHASSIS_FIELDS,
    listFields: CHASSIS_LIST_FIELDS,
    required: [],
    hasDetailPath: true,
    detailSince: 43,
    filters: {},
    store: store.chassis,
    subResources: { nodes: 1 },
    filterOf: () => ({}),
    create: (values) =>
      store.chassis.create({ ...values, uuid: (values['uuid'] as string) ?? randomUUID() }, deps.now()),
    update: (chassis, values) => store.chassis.update(chassis.uuid, values, deps.now()),
    remove: ({ uuid }) =>
      store.transaction(async (tx) => {
        const page = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;
        const [node] = await tx.nodes.list({ chassisUuid: uuid }, page);
        if (node === undefined) return tx.chassis.delete(uuid);
        throw new IngotError(
          'invalidParameter',
          `Cannot complete the requested action because chassis ${uuid} contains nodes, such as ${node.name ?? node.uuid}. Take them out first.`,
        );
      }),
  });
}
