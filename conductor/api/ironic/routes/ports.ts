/**
 * `/v1/ports` and `/v1/nodes/{node}/ports`.
 */
import { randomUUID } from 'node:crypto';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { PORT_FIELDS, PORT_LIST_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isVtepLink } from '../../../domain/local-link.ts';
import type { Port } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { requireVersion } from '../../kit/microversion.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { macOf } from '../mac.ts';
import { findNode, nodeOf, ownerNode } from '../node-lookup.ts';
import { NO_VTEP_SINCE, portChange, VTEP_SINCE } from '../port-change.ts';

const PORTGROUPS_SINCE = 24;
const NODE_NAMES_SINCE = 5;
const PORT_NAMES_SINCE = 88;
const DESCRIPTION_SINCE = 97;
export const CONDUCTOR_GROUPS_SINCE = 99;

export function registerPorts(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  const ports = registerCollection<Port, typeof FILTERS>(app, deps, {
    path: 'ports',
    key: 'ports',
    singular: 'port',
    since: 1,
    fields: PORT_FIELDS,
    listFields: PORT_LIST_FIELDS,
    required: ['address'],
    namesSince: PORT_NAMES_SINCE,
    hasDetailPath: true,
    detailSince: 43,
    filters: FILTERS,
    store: store.ports,
    formAt: {
      local_link_connection: (minor) =>
        minor >= VTEP_SINCE && minor < NO_VTEP_SINCE
          ? undefined
          : ({ localLinkConnection: link }) => (isVtepLink(link) ? {} : link),
    },

    async filterOf(query, request) {
      const node = query.node_uuid ?? query.node;
      refuseGroupsWith(query.conductor_groups, [node, query.address, query.portgroup, query.shard]);
      if (node !== undefined && !isUuid(node)) requireVersion(request, NODE_NAMES_SINCE, 'A node name');
      return {
        ...(node === undefined ? {} : { nodeUuid: (await findNode(store.nodes, request, node)).uuid }),
        ...(query.address === undefined ? {} : { address: macOf(query.address) }),
        ...(query.portgroup === undefined
          ? {}
          : { portgroupUuid: (await store.portgroups.get(query.portgroup)).uuid }),
      };
    },

    async create(values, request) {
      const node = values['nodeUuid'] ?? values['nodeIdent'];
      if (node === undefined || (values['nodeUuid'] !== undefined && values['nodeIdent'] !== undefined)) {
        throw new IngotError(
          'missingParameter',
          "Schema error for port: 'node_uuid' is a required property, or 'node_ident' in its place",
        );
      }
      const nodeUuid = await ownerNode(store.nodes, node);
      const fields = await portChange(store, request, values, nodeUuid);
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      return engine.createPort({ ...fields, uuid, nodeUuid, address: macOf(values['address']) });
    },

    async update(port, values, request) {
      const nodeUuid =
        values['nodeUuid'] === undefined ? port.nodeUuid : await ownerNode(store.nodes, values['nodeUuid']);
      return engine.updatePort(port.uuid, await portChange(store, request, values, nodeUuid, port));
    },

    remove: (port) => engine.deletePort(port.uuid),
  });

  const byAddress = (address: string | undefined) =>
    address === undefined ? {} : { address: macOf(address) };
  ports.listUnder('nodes/:node', 1, async (request, { address }) => ({
    nodeUuid: (await nodeOf(store.nodes, request)).uuid,
    ...byAddress(address),
  }));
  ports.listUnder('portgroups/:portgroup', PORTGROUPS_SINCE, async (request, { address }) => ({
    portgroupUuid: (await store.portgroups.get((request.params as { portgroup: string }).portgroup)).uuid,
    ...byAddress(address),
  }));
}

/** Throws invalidParameter if the filter by conductor group is combined with one of the filters `others`. */
export function refuseGroupsWith(groups: readonly string[] | undefined, others: readonly unknown[]): void {
  if (groups === undefined || others.every((other) => other === undefined)) return;
  throw new IngotError(
    'invalidParameter',
    'Filtering by conductor_groups cannot be combined with a filter by node, port group, address or shard.',
  );
}

const FILTERS = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'text' },
  portgroup: { kind: 'text', since: PORTGROUPS_SINCE },
  shard: { kind: 'list', since: 82 },
  description_contains: { kind: 'text', since: DESCRIPTION_SINCE },
  conductor_groups: { kind: 'list', since: CONDUCTOR_GROUPS_SINCE },
} as const;
