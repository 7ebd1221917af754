/** Acknowledged writes survive if the process is killed at any moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SqliteFile from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { ALL } from '../conformance/samples.ts';
import { openStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-durability-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes with three callers at once and prints what was acknowledged. A pair is two nodes in one transaction. */
const WRITER = `
  import { writeSync } from 'node:fs';
  import { openStore } from ${JSON.stringify(new URL('./store.ts', import.meta.url).href)};
  const store = await openStore({ path: process.argv[1] });
  const now = new Date();
  const node = (name) => ({
    uuid: crypto.randomUUID(), name, driver: 'ipmi', interfaces: {}, provisionState: 'enroll',
    driverInfo: { ipmi_password: name },
  });
  const say = (text) => writeSync(1, text + '\\n');
  async function singles() {
    for (let n = 0; ; n += 1) { await store.nodes.create(node('single-' + n), now); say('single-' + n); }
  }
  async function pairs() {
    for (let n = 0; ; n += 1) {
      await store.transaction(async (tx) => {
        await tx.nodes.create(node('left-' + n), now);
        await tx.nodes.create(node('right-' + n), now);
      });
      say('left-' + n);
      say('right-' + n);
    }
  }
  async function states() {
    await store.nodes.create({ ...node('counter') }, now);
    for (let n = 1; ; n += 1) {
      await store.nodes.update((await store.nodes.find('counter')).uuid, { extra: { n } }, now);
      say('counter ' + n);
    }
  }
  await Promise.all([singles(), pairs(), states()]);
`;

it.each([60, 150, 333])('a kill after %i acknowledgements loses none and halves nothing', async (acks) => {
  const path = join(directory, `${acks}.db`);
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += String(chunk);
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === acks) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode, complaint).toBe('SIGKILL');
  expect(acknowledged.length).toBeGreaterThanOrEqual(acks);

  const store = await openStore({ path });
  const nodes = await store.nodes.list({}, { ...ALL, limit: 100_000 });
  const names = new Set(nodes.map((node) => node.name));
  const counted = acknowledged.filter((line) => line.startsWith('counter '));
  const created = acknowledged.filter((line) => !line.startsWith('counter '));
  expect(created.filter((name) => !names.has(name))).toEqual([]);
  const counter = nodes.find((node) => node.name === 'counter');
  expect(Number(counter?.extra['n'])).toBeGreaterThanOrEqual(Number(counted.at(-1)?.split(' ')[1]));
  for (const name of names) {
    if (name?.startsWith('left-')) expect(names).toContain(name.replace('left', 'right'));
    if (name?.startsWith('right-')) expect(names).toContain(name.replace('right', 'left'));
  }
  // every row has its secret
  expect(nodes.filter((node) => node.driverInfo['ipmi_password'] !== node.name)).toEqual([]);
  await store.close();

  const file = new SqliteFile(path, { readonly: true });
  expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
  file.close();
});
