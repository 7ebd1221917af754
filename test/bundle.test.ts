/**
 * The bundle of `ingot serve`: it is built, used while its sources are unchanged, ignored after a change, and the
 * same program.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MANIFEST = join(ROOT, 'build/bundle/sources.json');
const ASK = "console.log((await import('./bin/bundle.js')).freshBundle() ?? 'none')";
const ingot = (...args: string[]) => run(process.execPath, [join(ROOT, 'bin/ingot.js'), ...args]);

const found = async (): Promise<string> =>
  (await run(process.execPath, ['--input-type=module', '-e', ASK], { cwd: ROOT })).stdout.trim();

beforeAll(() => run(process.execPath, [join(ROOT, 'bin/bundle.js')]), 60_000);
afterAll(() => run(process.execPath, [join(ROOT, 'bin/bundle.js')]), 60_000);

it('is used while its sources are unchanged', async () => {
  expect(await found()).toBe(join(ROOT, 'build/bundle/start.mjs'));
});

it('serves with the same settings as its sources', async () => {
  const printed = () => ingot('serve', '--print-config');
  const bundled = await printed();
  writeFileSync(MANIFEST, readFileSync(MANIFEST, 'utf8').replace('"/bin/bundle.js",', '"/bin/bundle.js",1'));
  expect(await found()).toBe('none');
  expect((await printed()).stdout).toBe(bundled.stdout);
});

it('contains the program of the worker thread for images', async () => {
  const bundle = readFileSync(join(ROOT, 'build/bundle/start.mjs'), 'utf8');
  const [url] = /data:text\/javascript;base64,[\w+/=]+/.exec(bundle)!;
  const args = [join(ROOT, 'package.json'), 10, 'qcow2'];
  const worker = new Worker(new URL(url), { workerData: { name: 'examine', args }, env: {}, execArgv: [] });
  expect(await once(worker, 'message')).toEqual([
    { kind: 'done', result: { ok: false, reason: 'disk_format says qcow2, but the data is raw' } },
  ]);
  await worker.terminate();
});
