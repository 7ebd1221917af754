/** Nova's API with a network, a flavor, an image and nodes. Its instances have no machines. */
import type { CloudService } from '@ingot/conductor/api/cloud/cloud-service.ts';
import { novaService } from '@ingot/conductor/api/nova/nova-service.ts';
import type { RouteOptions } from 'fastify';
import { type CloudCallOptions, createTestCloud } from './cloud.ts';
import { createFakeInstances } from './instances.ts';
import { imageOf } from './records.ts';
import { createTestNetworks, NOW } from './test-networks.ts';

export const SERVERS = '/compute/v2.1/servers';

export type TestServersApi = Awaited<ReturnType<typeof createTestServersApi>>;

/** `onRoute` is called for every route. */
export async function createTestServersApi(onRoute: (route: RouteOptions) => void = () => undefined) {
  const test = await createTestNetworks();
  const { store, networks } = test;
  let now = NOW;
  const clock = (): Date => now;
  const instances = createFakeInstances({ store, networks, now: clock });
  const images = [imageOf()];
  const service: CloudService = {
    ...novaService,
    register(app, deps) {
      app.addHook('onRoute', onRoute);
      novaService.register(app, deps);
    },
  };
  const cloud = await createTestCloud([service], {
    store,
    networks,
    instances,
    now: clock,
    images: {
      find: async (uuid) => images.find((image) => image.uuid === uuid),
      instanceInfoOf: async () => ({}),
      all: async () => images,
      cached: async () => new Set(),
    },
  });
  const network = await test.network({ name: 'rack' });
  const subnet = await test.subnet(network);
  await store.compute.flavors.create(
    {
      ...{
        uuid: '42',
        name: 'bm',
        description: null,
        vcpus: 4,
        ramMb: 8192,
        rootGb: 40,
        ephemeralGb: 0,
        swapMb: 0,
      },
      ...{ rxtxFactor: 1, isPublic: true, isDisabled: false, projects: [], extraSpecs: { trait: 'x' } },
    },
    NOW,
  );
  const imageRef = images[0]!.uuid;
  const basic = { name: 'web', imageRef, flavorRef: '42' };

  return {
    ...cloud,
    instances,
    images,
    network,
    subnet,
    node: test.node,
    imageRef,
    /** Advances the clock, so that the times of two changes differ. */
    wait: (ms = 60_000): void => {
      now = new Date(now.getTime() + ms);
    },
    /** POST /servers with these fields and the required ones. */
    create: (fields: object = {}, options: CloudCallOptions = {}, more: object = {}) => {
      const networksToo = (options.minor ?? 1) >= 37 ? { networks: 'auto' } : {};
      return cloud.call(
        'POST',
        SERVERS,
        { server: { ...basic, ...networksToo, ...fields }, ...more },
        options,
      );
    },
    /** Creates a running server; returns its id. */
    async running(fields: object = {}, options: CloudCallOptions = {}): Promise<string> {
      const { body } = await this.create(fields, options);
      const { id } = body.server as { readonly id: string };
      await instances.build(id, { host: 'conductor-1', nodeUuid: await test.node() });
      return id;
    },
    async close() {
      await cloud.close();
      await store.close();
    },
  };
}
