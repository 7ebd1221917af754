/**
 * `/v1/ports` and `/v1/nodes/{node}/ports`.
 */
import { randomUUID } from 'node:crypto';
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { PORT_FIELDS, PORT_LIST_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import type { FastifyRequest } from 'fastify';
import { type Mac, parseMac } from '../../domain/boot.ts';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PatchOperation } from '../../domain/json-patch.ts';
import type { NewPort, Port, PortPatch } from '../../domain/node.ts';
import type { PortFilter } from '../../domain/store.ts';
import type { ApiDeps, App } from '../deps.ts';
import { FIELD_ARGUMENTS, selectFields } from '../field-selection.ts';
import { baseUrlOf } from '../links.ts';
import { findNode } from '../node-lookup.ts';
import { nextUrl, PAGE_ARGUMENTS, parsePage } from '../paging.ts';
import { portPresenter } from '../port-view.ts';
import { parseQuery, type Query } from '../query.ts';
import { type FieldValues, parseCreate, patchedFields, patchOperations } from '../resource-body.ts';

const LIST_ARGUMENTS = {
  ...PAGE_ARGUMENTS,
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'text' },
} as const;
const PATCHABLE = new Map(PORT_FIELDS.filter((field) => field.patch).map((field) => [field.wire, field]));

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

function macOf(text: unknown): Mac {
  const mac = typeof text === 'string' ? parseMac(text) : undefined;
  if (mac === undefined) {
    throw invalid(
      `Expected a MAC address but received ${String(text).slice(0, 64)}. "address" has six pairs of hex digits, such as 52:54:00:12:34:56.`,
    );
  }
  return mac;
}

/** Rules between the fields of a port, on the values given. */
function checkedFields(values: FieldValues): Omit<NewPort, 'uuid' | 'nodeUuid' | 'address'> {
  const { portgroupUuid, uuid: _uuid, nodeUuid: _node, address: _address, ...fields } = values;
  if (portgroupUuid != null) throw invalid(`Portgroup ${String(portgroupUuid)} could not be found.`);
  if (fields['physicalNetwork'] === '') {
    throw invalid('A non-empty value is required when setting physical_network');
  }
  return fields as Omit<NewPort, 'uuid' | 'nodeUuid' | 'address'>;
}

export function registerPorts(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;
  const present = (request: FastifyRequest, port: Port, names: readonly string[] | null = null) =>
    portPresenter({ minor: request.minor, base: baseUrlOf(request, config.publicEndpoint) }, names).present(
      port,
    );

  async function portOf(request: FastifyRequest): Promise<Port> {
    const { port: ident } = request.params as { port: string };
    if (!isUuid(ident)) throw invalid(`Expected a UUID but received ${ident}.`);
    const port = await store.ports.find(ident.toLowerCase());
    if (port === undefined) throw new IngotError('notFound', `Port ${ident} could not be found.`);
    return port;
  }

  /** A port belongs to a node that exists; a body that names another is a bad request, not a missing page. */
  async function existingNode(uuid: unknown): Promise<string> {
    const node = await store.nodes.find(String(uuid));
    if (node === undefined) throw invalid(`Node ${String(uuid)} could not be found.`);
    return node.uuid;
  }

  async function list(
    request: FastifyRequest,
    path: string,
    query: Query<typeof LIST_ARGUMENTS>,
    names: readonly string[] | null,
  ) {
    const page = parsePage(request, query, PORT_FIELDS, config.maxLimit);
    const ident = query.node_uuid ?? query.node;
    const filter: PortFilter = {
      ...(ident === undefined ? {} : { nodeUuid: (await findNode(store.nodes, request, ident)).uuid }),
      ...(query.address === undefined ? {} : { address: macOf(query.address) }),
    };
    if (page.marker !== undefined && (await store.ports.find(page.marker)) === undefined) {
      throw new IngotError('notFound', `Port ${page.marker} could not be found.`);
    }
    const base = baseUrlOf(request, config.publicEndpoint);
    const rows = await store.ports.list(filter, page);
    const presenter = portPresenter({ minor: request.minor, base }, names);
    const ports = rows.map((port) => presenter.present(port));
    const next = nextUrl(request, `${base}/v1/${path}`, page, rows);
    return next === undefined ? { ports } : { ports, next };
  }

  app.get('/v1/ports', async (request) => {
    const query = parseQuery(request, { ...LIST_ARGUMENTS, ...FIELD_ARGUMENTS });
    return list(request, 'ports', query, selectFields(request, query, PORT_FIELDS, PORT_LIST_FIELDS));
  });

  app.get('/v1/ports/detail', async (request) =>
    list(request, 'ports/detail', parseQuery(request, LIST_ARGUMENTS), null),
  );

  app.get<{ Params: { node: string } }>('/v1/nodes/:node/ports', async (request) => {
    const query = parseQuery(request, { ...PAGE_ARGUMENTS, address: { kind: 'text' }, ...FIELD_ARGUMENTS });
    const { node } = request.params;
    const names = selectFields(request, query, PORT_FIELDS, PORT_LIST_FIELDS);
    return list(request, `nodes/${node}/ports`, { ...query, node }, names);
  });

  app.get('/v1/ports/:port', async (request) => {
    const query = parseQuery(request, { fields: FIELD_ARGUMENTS.fields });
    const names = selectFields(request, query, PORT_FIELDS, null);
    return present(request, await portOf(request), names);
  });

  app.post('/v1/ports', async (request, reply) => {
    const values = parseCreate(request, 'port', PORT_FIELDS, ['address', 'node_uuid']);
    const port = await engine.createPort({
      ...checkedFields(values),
      uuid: (values['uuid'] as string | undefined) ?? randomUUID(),
      address: macOf(values['address']),
      nodeUuid: await existingNode(values['nodeUuid']),
    });
    const base = baseUrlOf(request, config.publicEndpoint);
    reply.code(201).header('Location', `${base}/v1/ports/${port.uuid}`);
    return present(request, port);
  });

  app.patch('/v1/ports/:port', async (request) => {
    parseQuery(request, {});
    const operations = patchOperations(request, PATCHABLE);
    const port = await portOf(request);
    const values = patchedValues(port, operations);
    const patch: PortPatch = {
      ...checkedFields(values),
      ...('address' in values ? { address: macOf(values['address']) } : {}),
      ...('nodeUuid' in values ? { nodeUuid: await existingNode(values['nodeUuid']) } : {}),
    };
    return present(request, await engine.updatePort(port.uuid, patch));
  });

  app.delete('/v1/ports/:port', async (request, reply) => {
    await engine.deletePort((await portOf(request)).uuid);
    return reply.code(204).send();
  });
}

/** The fields a patch touches, as they are after it. */
function patchedValues(port: Port, operations: readonly PatchOperation[]): FieldValues {
  const document = Object.fromEntries(
    [...PATCHABLE.keys()].map((name) => [name, port[camelCase(name) as keyof Port] ?? null]),
  ) as JsonObject;
  const values = Object.fromEntries(
    patchedFields(document, operations, PATCHABLE).map(([{ wire }, value]) => [camelCase(wire), value]),
  );
  // A port boots over the network unless it is told not to.
  const resetsBoot = operations.findLast(({ path }) => path === '/pxe_enabled')?.op === 'remove';
  return resetsBoot ? { ...values, pxeEnabled: true } : values;
}
