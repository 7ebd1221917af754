/**
 * Deployments of fake hardware: requests `active` for many nodes and measures the time until all are active.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newNode } from './fleet.ts';
import type { LoadGenerator } from './load.ts';
import type { LoadRequest } from './load-process.ts';
import { atOnce, type Subject } from './subject.ts';

const CONNECTIONS = 16;
const LIMIT_MS = 300_000;
const POLL_MS = 20;

/** Seconds from the first request to the last node's `active`. */
export async function deploySeconds(load: LoadGenerator, subject: Subject, count: number): Promise<number> {
  const { db, baseUrl } = subject;
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  const send = async (requests: LoadRequest[]) => {
    const job = { baseUrl, requests, repeat: false, connections: CONNECTIONS, limitMs: LIMIT_MS };
    const { refused } = await load.run(job);
    if (Object.keys(refused).length > 0)
      throw new Error(`${subject.name} refuses: ${JSON.stringify(refused)}`);
  };
  await send(
    uuids.map((uuid) => ({
      method: 'POST',
      path: '/v1/nodes',
      body: JSON.stringify({ uuid, ...newNode('fake') }),
    })),
  );
  const toAvailable = db.prepare(`update nodes set provision_state = 'available' where uuid = ?`);
  atOnce(db, () => {
    for (const uuid of uuids) toAvailable.run(uuid);
  });
  const activeOnes = db.prepare(`select count(*) as n from nodes where provision_state = 'active'`);
  const before = Number(activeOnes.get()?.['n']);
  const began = performance.now();
  await send(
    uuids.map((uuid) => ({
      method: 'PUT',
      path: `/v1/nodes/${uuid}/states/provision`,
      body: '{"target":"active"}',
    })),
  );
  while (Number(activeOnes.get()?.['n']) - before < count) {
    if (performance.now() - began > LIMIT_MS) throw new Error(`${subject.name} does not finish its deploys`);
    await sleep(POLL_MS);
  }
  return (performance.now() - began) / 1_000;
}
