/**
 * Servers with addresses: from the request over the node's ports to the config drive, until the deletion.
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
import { asking, serverRequest, startTestCompute } from './fakes/compute/test-compute.ts';

const SERVED: ServedNetwork = {
  mode: 'reservation',
  ...{ address: '10.9.0.1', netmask: '255.255.255.0', router: '10.9.0.254', dns: [] },
  ...{ rangeStart: '10.9.0.10', rangeEnd: '10.9.0.20' },
};

async function startServers() {
  const now = () => new Date();
  const store = await openStore({ path: ':memory:' });
  const network = (await ensureProvisioningNetwork(store, SERVED, now()))!;
  const test = await startTestCompute({
    store,
    realNetworks: createServerNetworks({ store, dhcp: null, now }),
  });
  let cards = 0;
  const { compute } = store;
  return {
    ...test,
    store,
    network,
    /** Creates a node for each entry, with this number of ports. */
    async nodes(...portsOf: readonly number[]) {
      const uuids = await test.addNodes(portsOf.length);
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
      await test[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

it('a server has its address on its node and in its config drive, until it is deleted', async () => {
  await using test = await startServers();
  const [nodeUuid] = await test.nodes(1);
  const [created] = await test.instances.create(serverRequest({ requestedNetworks: 'auto' }));
  const active = await test.reach(created!.uuid, 'active');
  const bound = { bindingHost: nodeUuid, macAddress: '52:54:00:00:00:01', status: 'ACTIVE' };
  expect(await test.ports()).toMatchObject([{ ...bound, fixedIps: [{ ipAddress: '10.9.0.2' }] }]);
  const drive = (await test.engine.find(nodeUuid!)).instanceInfo['configdrive'] as JsonObject;
  expect(drive['network_data']).toMatchObject({
    links: [{ type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' }],
    networks: [{ type: 'ipv4', ip_address: '10.9.0.2', netmask: '255.255.255.0' }],
  });
  await test.instances.delete(active, asking);
  await test.reach(active.uuid, 'deleted');
  expect([await test.ports(), await test.allocations()]).toEqual([[], []]);
});

it('a node with too few ports is skipped', async () => {
  await using test = await startServers();
  const [, wide] = await test.nodes(1, 2);
  const one = { networkUuid: test.network.uuid };
  const [created] = await test.instances.create(serverRequest({ requestedNetworks: [one, one] }));
  const active = await test.reach(created!.uuid, 'active');
  expect([active.nodeUuid, (await test.ports()).map(({ bindingHost }) => bindingHost)]).toEqual([
    ...[wide, [wide, wide]],
  ]);
});

it('a server for which no node has enough ports has an error that says so, and no address', async () => {
  await using test = await startServers();
  await test.nodes(1);
  const one = { networkUuid: test.network.uuid };
  const [created] = await test.instances.create(serverRequest({ requestedNetworks: [one, one] }));
  const failed = await test.reach(created!.uuid, 'error');
  expect(`${failed.fault?.message} ${failed.fault?.details}`).toContain(
    'has no port left for network provisioning',
  );
  expect([await test.ports(), await test.allocations()]).toEqual([[], []]);
});
