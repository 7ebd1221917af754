/**
 * A conductor in its own process that a test kills. It creates, rebuilds, stops and deletes servers on fake hardware
 * endlessly. Argument: the path of the database. Prints `up` when it begins.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@ingot/conductor/domain/compute.ts';
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import { asking, IMAGE_UUID, serverRequest, startTestCompute } from './test-compute.ts';

const NODES = 10;
const SHARES = { delete: 0.3, rebuild: 0.2, stop: 0.2 };
const LONGEST_REST_MS = 60;

/** Some nodes fail to deploy, some are slow, the others are normal. */
const HARDWARE = [
  { fake_fail: ['deploy.deploy'] },
  { fake_wait: { 'deploy.deploy': 0.02, 'deploy.erase_devices': 0.01 } },
  {},
];

const [, , path = ':memory:'] = process.argv;
const test = await startTestCompute({ path });
const { instances, store } = test;
if ((await listAll(store.nodes, {})).length === 0) {
  await test.addNodes(NODES, (nth) => ({ driverInfo: HARDWARE[nth % HARDWARE.length]! }));
}
process.stdout.write('up\n');

/** Acts on some of the servers; skips those whose state does not allow it. */
async function disturb(
  servers: readonly Server[],
  share: number,
  ask: (server: Server) => Promise<unknown>,
): Promise<void> {
  for (const server of servers.filter(() => Math.random() < share)) {
    await ask(server).catch((error: unknown) => {
      if (!(error instanceof IngotError)) throw error;
    });
  }
}

for (;;) {
  const servers = (await listAll(store.compute.servers, {})).filter(({ vmState }) => vmState !== 'deleted');
  await Promise.all([
    instances.create(serverRequest({ maxCount: 2 })),
    disturb(servers, SHARES.delete, (server) => instances.delete(server, asking)),
    disturb(servers, SHARES.rebuild, (server) =>
      instances.rebuild(server, { imageUuid: IMAGE_UUID, adminPass: 'word' }, asking),
    ),
    disturb(servers, SHARES.stop, (server) => instances.stop(server, asking)),
  ]);
  await sleep(Math.random() * LONGEST_REST_MS);
}
