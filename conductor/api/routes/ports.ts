/**
 * `/v1/ports` and `/v1/nodes/{node}/ports`.
 */
import { randomUUID } from 'node:crypto';
import { PORT_FIELDS, PORT_LIST_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Port, PortPatch } from '../../domain/node.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps, App } from '../deps.ts';
import { macOf } from '../mac.ts';
import { findNode, nodeOf, ownerNode } from '../node-lookup.ts';
import type { FieldValues } from '../resource-body.ts';

const PORTGROUPS_SINCE = 24;

export function registerPorts(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  /** Rules between the fields of a port, on the values given. */
  async function checkedFields(values: FieldValues, nodeUuid: string): Promise<PortPatch> {
    const { uuid: _uuid, nodeUuid: given, address, ...fields } = values;
    if (fields['physicalNetwork'] === '') {
      throw new IngotError('invalidParameter', 'A non-empty value is required when setting physical_network');
    }
    if (fields['portgroupUuid'] != null) await checkPortgroup(String(fields['portgroupUuid']), nodeUuid);
    return {
      ...(fields as PortPatch),
      ...(address === undefined ? {} : { address: macOf(address) }),
      ...(given === undefined ? {} : { nodeUuid }),
    };
  }

  async function checkPortgroup(uuid: string, nodeUuid: string): Promise<void> {
    const portgroup = await store.portgroups.find(uuid);
    if (portgroup === undefined) {
      throw new IngotError('notFound', `Portgroup ${uuid} could not be found.`);
    }
    if (portgroup.nodeUuid === nodeUuid) return;
    throw new IngotError(
      'invalidParameter',
      `Port can not be in portgroup ${uuid}: that one is of node ${portgroup.nodeUuid}, the port of node ${nodeUuid}.`,
    );
  }

  const ports = registerCollection<Port, typeof FILTERS>(app, deps, {
    path: 'ports',
    key: 'ports',
    singular: 'port',
    since: 1,
    fields: PORT_FIELDS,
    listFields: PORT_LIST_FIELDS,
    required: ['address', 'node_uuid'],
    hasDetailPath: true,
    detailSince: 43,
    filters: FILTERS,
    store: store.ports,

    async filterOf(query, request) {
      const node = query.node_uuid ?? query.node;
      return {
        ...(node === undefined ? {} : { nodeUuid: (await findNode(store.nodes, request, node)).uuid }),
        ...(query.address === undefined ? {} : { address: macOf(query.address) }),
        ...(query.portgroup === undefined
          ? {}
          : { portgroupUuid: (await portgroupNamed(query.portgroup)).uuid }),
      };
    },

    async create(values) {
      const nodeUuid = await ownerNode(store.nodes, values['nodeUuid']);
      const fields = await checkedFields(values, nodeUuid);
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      return engine.createPort({ ...fields, uuid, nodeUuid, address: macOf(values['address']) });
    },

    async update(port, values) {
      const nodeUuid =
        values['nodeUuid'] === undefined ? port.nodeUuid : await ownerNode(store.nodes, values['nodeUuid']);
      return engine.updatePort(port.uuid, await checkedFields(values, nodeUuid));
    },

    remove: (port) => engine.deletePort(port.uuid),
  });

  async function portgroupNamed(ident: string) {
    const portgroup = await store.portgroups.find(ident);
    if (portgroup !== undefined) return portgroup;
    throw new IngotError('notFound', `Portgroup ${ident} could not be found.`);
  }

  const byAddress = (address: string | undefined) =>
    address === undefined ? {} : { address: macOf(address) };
  ports.listUnder('nodes/:node', 1, async (request, { address }) => ({
    nodeUuid: (await nodeOf(store.nodes, request)).uuid,
    ...byAddress(address),
  }));
  ports.listUnder('portgroups/:portgroup', PORTGROUPS_SINCE, async (request, { address }) => ({
    portgroupUuid: (await portgroupNamed((request.params as { portgroup: string }).portgroup)).uuid,
    ...byAddress(address),
  }));
}

const FILTERS = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'text' },
  portgroup: { kind: 'text', since: PORTGROUPS_SINCE },
} as const;
