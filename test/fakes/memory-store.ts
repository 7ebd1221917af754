/**
 * A store in memory for tests of what stands on it. The real one's conformance suite is the judge of its manners.
 */

import type { BootSighting, Lease } from '@ingot/conductor/domain/boot.ts';
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import {
  INTERFACE_TYPES,
  type NewNode,
  type NewPort,
  type Node,
  type Port,
} from '@ingot/conductor/domain/node.ts';
import type { Operation } from '@ingot/conductor/domain/operations.ts';
import type { HistoryEntry, Inventory, NodeFilter, Page, Store } from '@ingot/conductor/domain/store.ts';

interface Row {
  readonly id: number;
  readonly uuid: string;
}

function pageOf<T extends Row>(rows: readonly T[], page: Page): T[] {
  const sign = page.sortDir === 'asc' ? 1 : -1;
  const value = (row: T) => (row as Record<string, unknown>)[page.sortKey] as string | number | null;
  const sorted = rows.toSorted((a, b) => {
    const [x, y] = [value(a) ?? '', value(b) ?? ''];
    return sign * (x < y ? -1 : x > y ? 1 : a.id - b.id);
  });
  const start = page.marker === undefined ? 0 : sorted.findIndex(({ uuid }) => uuid === page.marker) + 1;
  return sorted.slice(start, start + page.limit);
}

function matches(node: Node, filter: NodeFilter): boolean {
  const equal = [
    'provisionState',
    'driver',
    'maintenance',
    'retired',
    'instanceUuid',
    'resourceClass',
  ] as const;
  if (equal.some((key) => filter[key] !== undefined && filter[key] !== node[key])) return false;
  if (filter.associated !== undefined && filter.associated !== (node.instanceUuid !== null)) return false;
  if (filter.shards !== undefined && !filter.shards.includes(node.shard ?? '')) return false;
  return (
    filter.descriptionContains === undefined || (node.description ?? '').includes(filter.descriptionContains)
  );
}

const newNode = (id: number, given: NewNode, now: Date): Node => ({
  name: null,
  driverInfo: {},
  instanceInfo: {},
  instanceUuid: null,
  properties: {},
  extra: {},
  resourceClass: null,
  conductorGroup: '',
  owner: null,
  lessee: null,
  description: null,
  shard: null,
  networkData: {},
  traits: [],
  automatedClean: null,
  protected: false,
  protectedReason: null,
  retired: false,
  retiredReason: null,
  consoleEnabled: false,
  bootMode: null,
  secureBoot: null,
  targetProvisionState: null,
  provisionUpdatedAt: null,
  powerState: null,
  targetPowerState: null,
  lastError: null,
  maintenance: false,
  maintenanceReason: null,
  fault: null,
  inspectionStartedAt: null,
  inspectionFinishedAt: null,
  bootTarget: null,
  agent: null,
  currentStep: null,
  driverInternalInfo: {},
  updatedAt: null,
  ...given,
  interfaces: Object.fromEntries(
    INTERFACE_TYPES.map((type) => [type, given.interfaces[type]]),
  ) as Node['interfaces'],
  id,
  holder: null,
  createdAt: now,
});

const newPort = (id: number, given: NewPort, now: Date): Port => ({
  name: null,
  pxeEnabled: true,
  localLinkConnection: {},
  physicalNetwork: null,
  isSmartnic: false,
  extra: {},
  internalInfo: {},
  ...given,
  id,
  createdAt: now,
  updatedAt: null,
});

const missing = (what: string, uuid: string) =>
  new IngotError('notFound', `${what} ${uuid} could not be found.`);

export function createMemoryStore(): Store {
  let nextId = 1;
  const nodes = new Map<string, Node>();
  const ports = new Map<string, Port>();
  const operations = new Map<number, Operation>();
  const history: HistoryEntry[] = [];
  const sightings: BootSighting[] = [];
  const inventory = new Map<string, Inventory>();
  const leases = new Map<string, Lease>();

  const taken = (uuid: string, name: string | null | undefined) =>
    [...nodes.values()].some((node) => node.uuid !== uuid && name != null && node.name === name);
  const portTaken = (uuid: string, address: string | undefined) =>
    [...ports.values()].some((port) => port.uuid !== uuid && port.address === address);

  const nodeWith = (uuid: string): Node => {
    const node = nodes.get(uuid);
    if (node === undefined) throw missing('Node', uuid);
    return node;
  };
  const operationWith = (id: number): Operation => {
    const operation = operations.get(id);
    if (operation === undefined) throw missing('Operation', String(id));
    return operation;
  };
  const isOpen = ({ state }: Operation) => state === 'running' || state === 'waiting';

  const store: Store = {
    nodes: {
      async create(given, now) {
        if (nodes.has(given.uuid))
          throw new IngotError('conflict', `A node with UUID ${given.uuid} already exists.`);
        if (taken(given.uuid, given.name)) {
          throw new IngotError('conflict', `A node with name ${given.name} already exists.`);
        }
        const node = newNode(nextId++, given, now);
        nodes.set(node.uuid, node);
        return node;
      },
      find: async (ident) => nodes.get(ident) ?? [...nodes.values()].find(({ name }) => name === ident),
      list: async (filter, page) =>
        pageOf(
          [...nodes.values()].filter((node) => matches(node, filter)),
          page,
        ),
      async update(uuid, patch, now) {
        if (taken(uuid, patch.name))
          throw new IngotError('conflict', `A node with name ${patch.name} already exists.`);
        const node = { ...nodeWith(uuid), ...patch, updatedAt: now };
        nodes.set(uuid, node);
        return node;
      },
      async delete(uuid) {
        nodeWith(uuid);
        nodes.delete(uuid);
        for (const port of ports.values()) if (port.nodeUuid === uuid) ports.delete(port.uuid);
      },
      async findByMacs(macs) {
        const found = [...ports.values()].filter(({ address }) => macs.includes(address));
        return [...new Set(found.map(({ nodeUuid }) => nodeUuid))].map(nodeWith);
      },
      async heartbeat(uuid, session) {
        const node = nodeWith(uuid);
        nodes.set(uuid, { ...node, agent: { ...session, token: node.agent?.token ?? null } });
      },
      async hold(uuid, holder) {
        const node = nodeWith(uuid);
        if (node.holder !== null) return false;
        nodes.set(uuid, { ...node, holder });
        return true;
      },
      async release(uuid) {
        const node = nodes.get(uuid);
        if (node !== undefined) nodes.set(uuid, { ...node, holder: null });
      },
      releaseAll: async () => [],
    },
    ports: {
      async create(given, now) {
        if (portTaken(given.uuid, given.address)) {
          throw new IngotError('conflict', `A port with MAC address ${given.address} already exists.`);
        }
        const port = newPort(nextId++, given, now);
        ports.set(port.uuid, port);
        return port;
      },
      find: async (uuid) => ports.get(uuid),
      list: async ({ nodeUuid, address }, page) =>
        pageOf(
          [...ports.values()].filter(
            (port) =>
              (nodeUuid === undefined || port.nodeUuid === nodeUuid) &&
              (address === undefined || port.address === address),
          ),
          page,
        ),
      async update(uuid, patch, now) {
        const port = ports.get(uuid);
        if (port === undefined) throw missing('Port', uuid);
        if (portTaken(uuid, patch.address))
          throw new IngotError('conflict', 'A port with this MAC address exists.');
        const updated = { ...port, ...patch, updatedAt: now };
        ports.set(uuid, updated);
        return updated;
      },
      async delete(uuid) {
        if (!ports.delete(uuid)) throw missing('Port', uuid);
      },
    },
    operations: {
      async create({ steps, ...given }, now) {
        const operation: Operation = {
          ...given,
          id: nextId++,
          state: 'running',
          cursor: 0,
          steps: steps.map((step, index) => ({
            ...step,
            index,
            state: 'pending',
            startedAt: null,
            finishedAt: null,
            progress: null,
            memo: {},
          })),
          waitingFor: null,
          deadline: null,
          wakeAt: null,
          abortRequested: false,
          error: null,
          startedAt: now,
          finishedAt: null,
        };
        operations.set(operation.id, operation);
        return operation;
      },
      find: async (id) => operations.get(id),
      current: async (uuid) => [...operations.values()].find((one) => one.nodeUuid === uuid && isOpen(one)),
      list: async (uuid, limit) =>
        [...operations.values()]
          .filter(({ nodeUuid }) => nodeUuid === uuid)
          .toReversed()
          .slice(0, limit),
      unfinished: async () => [...operations.values()].filter(isOpen),
      async update(id, patch) {
        const operation = { ...operationWith(id), ...patch };
        operations.set(id, operation);
        return operation;
      },
      async updateStep(id, index, patch) {
        const operation = operationWith(id);
        const steps = operation.steps.map((step) => (step.index === index ? { ...step, ...patch } : step));
        operations.set(id, { ...operation, steps });
      },
      replaceSteps: async (id) => operationWith(id),
    },
    history: {
      async add(entry) {
        history.unshift(entry);
      },
      find: async (nodeUuid, uuid) => history.find((one) => one.nodeUuid === nodeUuid && one.uuid === uuid),
      async list(nodeUuid, { limit, marker }) {
        const rows = history.filter((one) => one.nodeUuid === nodeUuid);
        const start = rows.findIndex(({ uuid }) => uuid === marker) + 1;
        return rows.slice(start, start + limit);
      },
    },
    sightings: {
      async add(sighting) {
        sightings.push(sighting);
      },
      forNode: async (nodeUuid, since) =>
        sightings.filter((one) => one.nodeUuid === nodeUuid && one.at.getTime() >= since.getTime()),
    },
    inventory: {
      async put(uuid, data) {
        inventory.set(uuid, data);
      },
      get: async (uuid) => inventory.get(uuid),
    },
    leases: {
      byMac: async (mac) => leases.get(mac),
      byAddress: async (address) => [...leases.values()].find((lease) => lease.address === address),
      async put(lease) {
        leases.set(lease.mac, lease);
        return true;
      },
      async release(mac) {
        leases.delete(mac);
      },
      list: async () => [...leases.values()],
    },
    transaction: (work) => work(store),
    close: async () => undefined,
  };
  return store;
}
