/**
 * Servers with addresses: from the request over the node's ports to the config drive, and back.
 */
import { randomUUID } from 'node:crypto';
import type { Mac } from '@ingot/conductor/domain/boot.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import { createServerNetworks } from '@ingot/conductor/network-service/create-server-networks.ts';
import {
  ensureProvisioningNetwork,
  type ServedNetwork,
} from '@ingot/conductor/network-service/provisioning-network.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { expect, it } from 'vitest';
import { asking, serverRequest, startComputeRig } from './fakes/compute/servers-rig.ts';

const SERVED: ServedNetwork = {
  mode: 'reservation',
  ...{ address: '10.9.0.1', netmask: '255.255.255.0', router: '10.9.0.254', dns: [] },
  ...{ rangeStart: '10.9.0.10', rangeEnd: '10.9.0.20' },
};

async function startRig() {
  const now = () => new Date();
  const store = await openStore({ path: ':memory:' });
  const network = (await ensureProvisioningNetwork(store, SERVED, now()))!;
  const rig = await startComputeRig({
    store,
    realNetworks: createServerNetworks({ store, dhcp: null, now }),
  });
  let cards = 0;
  const { compute } = store;
  return {
    ...rig,
    store,
    network,
    /** Each with so many ports. */
    async nodes(...portsOf: readonly number[]) {
      const uuids = await rig.addNodes(portsOf.length);
      for (const [nth, nodeUuid] of uuids.entries()) {
        for (let port = 0; port < portsOf[nth]!; port += 1) {
          cards += 1;
          const address = `52:54:00:00:00:0${cards}` as Mac;
          await store.ports.create({ uuid: randomUUID(), nodeUuid, address, pxeEnabled: true }, now());
        }
      }
      return uuids;
    },
    ports: () => listAll(compute.networkPorts, {}),
    allocations: () => listAll(compute.ipAllocations, {}),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

it('a server has its address on the wire and in its config drive, until it is deleted', async () => {
  await using rig = await startRig();
  const [nodeUuid] = await rig.nodes(1);
  const [created] = await rig.instances.create(serverRequest({ networks: 'auto' }));
  const active = await rig.reach(created!.uuid, 'active');
  const bound = { bindingHost: nodeUuid, macAddress: '52:54:00:00:00:01', status: 'ACTIVE' };
  expect(await rig.ports()).toMatchObject([{ ...bound, fixedIps: [{ ipAddress: '10.9.0.2' }] }]);
  const drive = (await rig.engine.find(nodeUuid!)).instanceInfo['configdrive'] as JsonObject;
  expect(drive['network_data']).toMatchObject({
    links: [{ type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' }],
    networks: [{ type: 'ipv4', ip_address: '10.9.0.2', netmask: '255.255.255.0' }],
  });
  await rig.instances.delete(active, asking);
  await rig.reach(active.uuid, 'deleted');
  expect([await rig.ports(), await rig.allocations()]).toEqual([[], []]);
});

it('a node with too few ports is passed over for one that has them', async () => {
  await using rig = await startRig();
  const [, wide] = await rig.nodes(1, 2);
  const one = { uuid: rig.network.uuid };
  const [created] = await rig.instances.create(serverRequest({ networks: [one, one] }));
  const active = await rig.reach(created!.uuid, 'active');
  expect([active.nodeUuid, (await rig.ports()).map(({ bindingHost }) => bindingHost)]).toEqual([
    ...[wide, [wide, wide]],
  ]);
});

it('a server that nobody has the ports for says so and holds no address', async () => {
  await using rig = await startRig();
  await rig.nodes(1);
  const one = { uuid: rig.network.uuid };
  const [created] = await rig.instances.create(serverRequest({ networks: [one, one] }));
  const failed = await rig.reach(created!.uuid, 'error');
  expect(`${failed.fault?.message} ${failed.fault?.details}`).toContain(
    'has no port left for network provisioning',
  );
  expect([await rig.ports(), await rig.allocations()]).toEqual([[], []]);
});
