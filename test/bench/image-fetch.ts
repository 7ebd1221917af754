/**
 * How long fetching and hashing an image blocks the event loop that also answers the API.
 *
 *   node test/bench/image-fetch.ts [MiB]
 *
 * The image server is a separate process. Budget: p99 of the delay <= 20 ms.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DigestAlgorithm } from '@ingot/conductor/domain/images.ts';
import { fetchImage } from '@ingot/conductor/images/fetch.ts';
import { loopbackOutbound } from '../fakes/outbound.ts';

const MEBI = 1024 * 1024;
const [, script, first, second] = process.argv;

if (first === 'serve') serve(String(second));
else await measure(Number(first ?? 500));

function serve(path: string): void {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': statSync(path).size });
    createReadStream(path).pipe(response);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function measure(mebibytes: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
  let server: ChildProcess | undefined;
  try {
    const path = join(dir, 'image');
    const digests = await makeImage(path, mebibytes);
    server = fork(String(script), ['serve', path]);
    const port = await new Promise((ready) => server?.once('message', ready));
    for (const source of [`http://127.0.0.1:${port}/image`, `file://${path}`])
      for (const algorithm of ['sha256', 'sha512'] as const)
        await run(source, { algorithm, value: digests[algorithm] }, dir);
  } finally {
    server?.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function makeImage(path: string, mebibytes: number): Promise<Record<'sha256' | 'sha512', string>> {
  const hashes = [createHash('sha256'), createHash('sha512')] as const;
  const file = await open(path, 'w');
  for (let written = 0; written < mebibytes; written += 1) {
    const chunk = randomBytes(MEBI);
    for (const hash of hashes) hash.update(chunk);
    await file.write(chunk);
  }
  await file.close();
  return { sha256: hashes[0].digest('hex'), sha512: hashes[1].digest('hex') };
}

async function run(source: string, digest: { algorithm: DigestAlgorithm; value: string }, dir: string) {
  const limits = {
    outbound: loopbackOutbound,
    allowed: [dir],
    maxBytes: Number.MAX_SAFE_INTEGER,
    stallMs: 60_000,
    limitMs: 3_600_000,
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const started = performance.now();
  delay.enable();
  const { signal } = new AbortController();
  const { bytes } = await fetchImage({ source, digest }, join(dir, 'target'), limits, { signal });
  delay.disable();
  const seconds = (performance.now() - started) / 1000;
  const ms = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(1)} ms`;
  console.log(
    `${source.split(':')[0]} ${digest.algorithm}: ${(bytes / MEBI / seconds).toFixed(0)} MiB/s, event loop delay p50 ${ms(delay.percentile(50))}, p99 ${ms(delay.percentile(99))}, max ${ms(delay.max)}`,
  );
}
