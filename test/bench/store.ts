/**
 * Operations of the store per second, on a file with every write flushed.
 *
 *   node test/bench/store.ts [nodes]
 *
 * Ten concurrent callers, as in an API server, on a new database in a temporary directory.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InterfaceType, NewNode } from '@ingot/conductor/domain/node.ts';
import { INTERFACE_TYPES } from '@ingot/conductor/domain/node.ts';
import type { Page } from '@ingot/conductor/domain/store/page.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';

const CALLERS = 10;
const SECONDS = 2;

const nodes = Number(process.argv[2] ?? 1_000);
const directory = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const store = await openStore({ path: join(directory, 'bench.db') });
try {
  const uuids = await enrol(store, nodes);
  const pick = () => uuids[Math.floor(Math.random() * uuids.length)]!;
  const session = { url: 'https://10.83.0.17:9999', version: '11.5.0', verifyCa: 'C'.repeat(900) };
  const page: Page = { limit: 1_000, sortKey: 'id', sortDir: 'asc' };

  const results = [
    await perSecond('heartbeat', () => {
      const now = new Date();
      return store.nodes.heartbeat(pick(), { ...session, lastHeartbeatAt: now }, now);
    }),
    await perSecond('get by uuid', () => store.nodes.find(pick())),
    await perSecond('hold and release', async () => {
      const uuid = pick();
      const since = new Date();
      const deadline = new Date(since.getTime() + 60_000);
      if (await store.nodes.hold(uuid, { owner: 'bench', purpose: 'bench', since, deadline })) {
        await store.nodes.release(uuid, 'bench');
      }
    }),
    await perSecond('update state', () =>
      store.nodes.update(pick(), { powerState: 'power on', lastError: null }, new Date()),
    ),
    await perSecond('update driver_info', () =>
      store.nodes.update(pick(), { driverInfo: driverInfo('changed') }, new Date()),
    ),
    await perSecond('sighting', () =>
      store.sightings.add({ kind: 'heartbeat', at: new Date(), nodeUuid: pick(), detail: '10.83.0.17' }),
    ),
    await perSecond('list of 1,000', () => store.nodes.list({}, page), 1),
  ];
  console.log(`${nodes} nodes, ${CALLERS} callers, log flushed before every answer`);
  console.table(Object.fromEntries(results));
} finally {
  await store.close();
  rmSync(directory, { recursive: true });
}

async function perSecond(name: string, call: () => Promise<unknown>, callers = CALLERS) {
  let count = 0;
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + SECONDS * 1_000;
  const caller = async () => {
    while (performance.now() < end) {
      const before = performance.now();
      await call();
      latencies.push(performance.now() - before);
      count += 1;
      // Lets the event loop run now and then, as it does between requests to an API server.
      if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - start) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => Number(latencies[Math.floor(latencies.length * q)]!.toFixed(2));
  return [
    name,
    { 'per second': Math.round(count / seconds), 'p50 ms': quantile(0.5), 'p99 ms': quantile(0.99) },
  ] as const;
}

function driverInfo(password: string) {
  return {
    ipmi_address: '10.9.8.7',
    ipmi_username: 'admin',
    ipmi_password: password,
    deploy_kernel: 'http://10.83.0.1/kernel',
    deploy_ramdisk: 'http://10.83.0.1/ramdisk',
  };
}

async function enrol(store: Store, count: number): Promise<string[]> {
  const interfaces = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, `no-${type}`])) as Record<
    InterfaceType,
    string
  >;
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  await store.transaction(async (tx) => {
    for (const [index, uuid] of uuids.entries()) {
      const node: NewNode = {
        uuid,
        name: `rack-${index}`,
        driver: 'ipmi',
        interfaces,
        provisionState: 'available',
        driverInfo: driverInfo('secret'),
        properties: { cpus: '64', memory_mb: '262144', local_gb: '900', cpu_arch: 'x86_64' },
        extra: { rack: '7', slot: index },
        driverInternalInfo: { agent_cached_steps: Array.from({ length: 20 }, (_, n) => `step ${n}`) },
        agent: {
          url: null,
          token: 'token',
          version: null,
          verifyCa: null,
          proven: false,
          lastHeartbeatAt: null,
        },
      };
      await tx.nodes.create(node, new Date());
    }
  });
  return uuids;
}
