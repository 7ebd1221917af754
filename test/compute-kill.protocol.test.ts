/**
 * A conductor that works on many servers is killed with SIGKILL at random moments; the next one finishes all work.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listAll } from '@ingot/conductor/domain/store/page.ts';
import { expect, it } from 'vitest';
import { startTestCompute } from './fakes/compute/test-compute.ts';

const CONDUCTOR = fileURLToPath(new URL('./fakes/compute/conductor-process.ts', import.meta.url));
const ROUNDS = Number(process.env['TEST_RUNS'] ?? 3);
const SHORTEST_MS = 100;
const SPREAD_MS = 900;
const RUNNING = ['active', 'stopped'];

async function killedAmidWork(path: string): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [CONDUCTOR, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout!, 'data');
    await sleep(SHORTEST_MS + Math.random() * SPREAD_MS);
    expect(child.exitCode, 'it ended by itself').toBeNull();
  } finally {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

it(`after ${ROUNDS} killed conductors nothing is unfinished`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ingot-kill-'));
  const path = join(directory, 'ingot.db');
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await killedAmidWork(path);
      await using test = await startTestCompute({ path });
      const servers = await listAll(test.store.compute.servers, {});
      const ended = await Promise.all(servers.map(({ uuid }) => test.settled(uuid)));
      const nodes = await listAll(test.store.nodes, {});
      const resting = await Promise.all(nodes.map(({ uuid }) => test.engine.rest(uuid)));
      for (const { uuid, vmState, nodeUuid, fault } of ended) {
        const node = resting.find(({ instanceUuid }) => instanceUuid === uuid);
        expect(node?.uuid ?? null, `${vmState} ${uuid}`).toBe(nodeUuid);
        if (RUNNING.includes(vmState)) expect(node?.provisionState).toBe('active');
        else expect([vmState, nodeUuid]).toEqual([vmState === 'error' ? 'error' : 'deleted', null]);
        if (vmState === 'error') expect(fault).not.toBeNull();
      }
      const free = resting.filter(({ instanceUuid }) => instanceUuid === null);
      for (const node of free) expect(node).toMatchObject({ provisionState: 'available', instanceInfo: {} });
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
