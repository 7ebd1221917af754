/**
 * Servers over an engine with fake hardware: available nodes, an image, flavors, and functions that wait for states of
 * servers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flavor, Server, VmState } from '@ingot/conductor/domain/compute.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import type { Logger } from '@ingot/conductor/domain/logger.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import type { ImageService } from '@ingot/conductor/image-service/image-service.ts';
import type { ServerNetworks } from '@ingot/conductor/network-service/server-networks.ts';
import { DEFAULT_SETTINGS, type SchedulerSettings } from '@ingot/conductor/scheduler/settings.ts';
import { createBareMetalDriver } from '@ingot/conductor/servers/bare-metal/bare-metal-driver.ts';
import { createInstances } from '@ingot/conductor/servers/create-instances.ts';
import type { ComputeDriver } from '@ingot/conductor/servers/driver.ts';
import type { Instances } from '@ingot/conductor/servers/instances.ts';
import type { Asking, ServerRequest } from '@ingot/conductor/servers/server-request.ts';
import { quietLogger } from '../engine-deps.ts';
import { startTestEngine, type TestEngine, type TestEngineOptions } from '../test-engine.ts';
import { imageOf } from './records.ts';
import { type FakeServerNetworks, fakeServerNetworks } from './server-networks.ts';

export const IMAGE_UUID = '11111111-1111-4111-8111-111111111111';

export const fakeImageService: ImageService = {
  find: async () => undefined,
  instanceInfoOf: async ({ uuid }) => ({ image_source: `http://127.0.0.1:9292/v2/images/${uuid}/file` }),
  all: async () => [],
  cached: async () => new Set(),
};

export const flavor: Flavor = {
  id: 1,
  uuid: 'bm1',
  createdAt: new Date(0),
  updatedAt: null,
  name: 'bm1',
  description: null,
  vcpus: 1,
  ramMb: 1_024,
  rootGb: 10,
  ephemeralGb: 0,
  swapMb: 0,
  rxtxFactor: 1,
  isPublic: true,
  isDisabled: false,
  projects: [],
  extraSpecs: {},
};

export const asking: Asking = {
  tenant: { projectId: 'p1', userId: 'u1', isAdmin: false, isMember: true },
  requestId: 'req-1',
};

export function serverRequest(changes: Partial<ServerRequest> = {}): ServerRequest {
  return {
    ...asking,
    name: 'web',
    description: null,
    flavor,
    imageUuid: IMAGE_UUID,
    keyName: null,
    publicKey: null,
    availabilityZone: null,
    forcedPlace: null,
    serverGroupUuid: null,
    schedulerHints: {},
    requestedNetworks: 'none',
    metadata: {},
    tags: [],
    hasConfigDrive: true,
    userData: null,
    accessIpv4: null,
    accessIpv6: null,
    personality: [],
    adminPass: 'secret-word',
    minCount: 1,
    maxCount: 1,
    ...changes,
  };
}

export interface TestInstancesOptions {
  readonly store: Store;
  readonly driver: ComputeDriver;
  /** Networks of an earlier TestInstances with the same database. */
  readonly networks?: FakeServerNetworks;
  readonly scheduler?: Partial<SchedulerSettings>;
  readonly logger?: Logger;
}

/** Servers on a given driver. */
export interface TestInstances extends AsyncDisposable {
  readonly store: Store;
  readonly instances: Instances;
  readonly networks: FakeServerNetworks;
  readonly driver: ComputeDriver;
  find(serverUuid: string): Promise<Server>;
  /** Resolves when the server has no task state. */
  settled(serverUuid: string): Promise<Server>;
  /** Resolves when the server is in this state and has no task state. */
  reach(serverUuid: string, vmState: VmState): Promise<Server>;
  /** Polls the server until the condition holds. */
  until(serverUuid: string, what: string, good: (server: Server) => boolean): Promise<Server>;
}

const LIMIT_MS = 10_000;
const LONGEST_LOOK_MS = 4;
const now = () => new Date();
const SETTINGS = {
  host: 'test-conductor',
  defaultAvailabilityZone: 'nova',
  vendorData: null,
  serviceReportMs: 3_600_000,
  serviceDownMs: 3_600_000,
};

export async function startTestInstances(options: TestInstancesOptions): Promise<TestInstances> {
  const { store, driver, logger = quietLogger } = options;
  if ((await store.compute.images.find(IMAGE_UUID)) === undefined) await addImage(store);
  const networks = options.networks ?? fakeServerNetworks();
  const settings = { ...SETTINGS, scheduler: { ...DEFAULT_SETTINGS, ...options.scheduler } };
  const rooms = { store, images: fakeImageService, networks, settings, logger, now };
  const instances = createInstances({ ...rooms, driver, random: () => 0 });
  await instances.open();

  async function find(uuid: string): Promise<Server> {
    const server = await store.compute.servers.find(uuid);
    if (server === undefined) throw new Error(`server ${uuid} is gone`);
    return server;
  }

  async function until(uuid: string, what: string, good: (server: Server) => boolean): Promise<Server> {
    const deadline = Date.now() + LIMIT_MS;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS)) {
      const server = await find(uuid);
      if (good(server)) return server;
      if (Date.now() > deadline) {
        const { vmState, taskState, fault } = server;
        throw new Error(`server ${uuid} is ${vmState}/${taskState}, never ${what}: ${fault?.message}`);
      }
      await sleep(waitMs);
    }
  }
  const settled = (uuid: string) => until(uuid, 'settled', ({ taskState }) => taskState === null);

  return {
    store,
    instances,
    networks,
    driver,
    find,
    until,
    settled,
    async reach(uuid, vmState) {
      const server = await settled(uuid);
      if (server.vmState === vmState) return server;
      throw new Error(`server ${uuid} is ${server.vmState}, not ${vmState}: ${server.fault?.message}`);
    },
    [Symbol.asyncDispose]: () => instances.close(),
  };
}

export interface TestComputeOptions extends TestEngineOptions {
  /** The real network service on `store`. With it, the test must not use `networks`. */
  readonly realNetworks?: ServerNetworks;
  readonly scheduler?: Partial<SchedulerSettings>;
  readonly domainCapability?: string;
}

export interface TestCompute extends TestInstances {
  readonly engine: TestEngine;
  /** Available nodes with 8 processors, 16 GB of memory and 100 GB of disk. */
  addNodes(
    count: number,
    change?: (nth: number) => { driverInfo?: JsonObject; properties?: JsonObject },
  ): Promise<string[]>;
}

/** Servers on bare metal, over an engine with fake hardware. */
export async function startTestCompute(options: TestComputeOptions = {}): Promise<TestCompute> {
  const engine = await startTestEngine(options);
  const { store } = engine;
  const settings = { ...SETTINGS, domainCapability: options.domainCapability ?? null };
  const driver = createBareMetalDriver({
    engine: engine.engine,
    store,
    images: fakeImageService,
    settings,
    now,
  });
  const { realNetworks } = options;
  const networks = realNetworks && { networks: realNetworks as FakeServerNetworks };
  const test = await startTestInstances({ ...options, ...networks, store, driver });

  return {
    ...test,
    engine,
    addNodes: (count, change = () => ({})) =>
      Promise.all(
        Array.from({ length: count }, async (_, nth) => {
          const { driverInfo = {}, properties = {} } = change(nth);
          const { uuid } = await engine.engine.createNode({
            driver: 'fake-hardware',
            interfaces: {},
            fields: {
              name: `node-${nth}`,
              provisionState: 'available',
              powerState: 'power off',
              driverInfo,
              properties: { cpus: 8, memory_mb: 16_384, local_gb: 100, cpu_arch: 'x86_64', ...properties },
            },
          });
          return uuid;
        }),
      ),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

async function addImage(store: Store): Promise<void> {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...image } = imageOf({ uuid: IMAGE_UUID });
  await store.compute.images.create(image, new Date());
}
