/**
 * `/v1/portgroups` and `/v1/nodes/{node}/portgroups`. API 1.23.
 */
import { randomUUID } from 'node:crypto';
import { isLogicalName } from '@ingot/shared/ironic/identifiers.ts';
import { PORTGROUP_FIELDS, PORTGROUP_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Portgroup, RecordPatch } from '../../../domain/resources.ts';
import type { App } from '../../kit/app.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { macOf } from '../mac.ts';
import { findNode, nodeOf, ownerNode } from '../node-lookup.ts';
import { CONDUCTOR_GROUPS_SINCE, refuseGroupsWith } from './ports.ts';

const SINCE = 23;
/** First version of `/v1/nodes/{node}/portgroups`. */
const UNDER_NODES_SINCE = 24;
const SHARD_SINCE = 106;
const FILTERS = {
  node: { kind: 'text' },
  address: { kind: 'text' },
  conductor_groups: { kind: 'list', since: CONDUCTOR_GROUPS_SINCE },
  shard: { kind: 'list', since: SHARD_SINCE },
} as const;

export function registerPortgroups(app: App, deps: ApiDeps): void {
  const { engine, store, now } = deps;
  const byAddress = (address: string | undefined) =>
    address === undefined ? {} : { address: macOf(address) };

  const portgroups = registerCollection<Portgroup, typeof FILTERS>(app, deps, {
    path: 'portgroups',
    key: 'portgroups',
    singular: 'portgroup',
    since: SINCE,
    hidesPath: true,
    namesSince: SINCE,
    fields: PORTGROUP_FIELDS,
    listFields: PORTGROUP_LIST_FIELDS,
    required: ['node_uuid'],
    hasDetailPath: true,
    detailSince: 43,
    filters: FILTERS,
    store: store.portgroups,
    subResources: { ports: 24 },

    async filterOf({ node, address, conductor_groups: groups, shard }, request) {
      refuseGroupsWith(groups, [node, address, shard]);
      return {
        ...(node === undefined ? {} : { nodeUuid: (await findNode(store.nodes, request, node)).uuid }),
        ...byAddress(address),
      };
    },

    async create(values) {
      const nodeUuid = await ownerNode(store.nodes, values['nodeUuid']);
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      const record = { ...checkedFields(values), uuid, nodeUuid };
      return engine.withNode(nodeUuid, 'create portgroup', () => store.portgroups.create(record, now()));
    },

    async update({ uuid, nodeUuid }, values) {
      if (values['nodeUuid'] !== undefined && values['nodeUuid'] !== nodeUuid) {
        throw new IngotError(
          'invalidParameter',
          `Portgroup ${uuid} stays on node ${nodeUuid}: delete it and create it on the other node.`,
        );
      }
      const patch = checkedFields(values);
      return engine.withNode(nodeUuid, 'update portgroup', () => store.portgroups.update(uuid, patch, now()));
    },

    async remove({ uuid, nodeUuid }) {
      await engine.withNode(nodeUuid, 'delete portgroup', async () => {
        const page = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;
        const [port] = await store.ports.list({ portgroupUuid: uuid }, page);
        if (port === undefined) return store.portgroups.delete(uuid);
        throw new IngotError(
          'invalidParameter',
          `Portgroup ${uuid} is not empty: take out its ports first, such as ${port.uuid} (${port.address}).`,
        );
      });
    },
  });

  portgroups.listUnder('nodes/:node', UNDER_NODES_SINCE, async (request, { address }) => ({
    nodeUuid: (await nodeOf(store.nodes, request)).uuid,
    ...byAddress(address),
  }));
}

function checkedFields(values: FieldValues): RecordPatch<Portgroup> {
  const { uuid: _uuid, nodeUuid: _node, address, name, ...fields } = values;
  if (typeof name === 'string' && name !== '' && !isLogicalName(name)) {
    throw new IngotError(
      'invalidParameter',
      `Cannot use the name '${name}' for a portgroup: a name has 1 to 255 letters, digits, "-", ".", "_" or "~".`,
    );
  }
  return {
    ...(fields as RecordPatch<Portgroup>),
    // An empty name is stored as null, because names are unique.
    ...(name === undefined ? {} : { name: name === '' ? null : (name as string | null) }),
    ...(address === undefined ? {} : { address: address === null ? null : macOf(address) }),
  };
}
