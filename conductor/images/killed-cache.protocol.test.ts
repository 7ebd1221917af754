/** A conductor is killed in every phase of preparing an image: the next one finds a complete entry or none. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { ImageProgress } from '../domain/images.ts';
import { createImageCache } from './cache.ts';

const MEBI = 1024 * 1024;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-killed-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function writeDisk(): string {
  const image = randomBytes(4 * MEBI);
  image.fill(0, 0, 512);
  image[446 + 4] = 0x83;
  image.writeUInt32LE(1, 446 + 8);
  image.writeUInt32LE(image.length / 512 - 1, 446 + 12);
  image.writeUInt16LE(0xaa55, 510);
  writeFileSync(join(dir, 'disk.raw'), image);
  return createHash('sha256').update(image).digest('hex');
}

const settings = () => ({ dir: join(dir, 'cache'), fileAllow: [dir], maxBytes: 1024 * MEBI });
const source = () => `file://${dir}/disk.raw`;

/**
 * Runs an image cache in its own process and kills it `afterMs` after the start of `phase`. Returns whether it
 * reached the phase.
 */
async function killedIn(phase: ImageProgress['phase'], afterMs: number): Promise<boolean> {
  const script = `
    import { createImageCache } from ${JSON.stringify(new URL('./cache.ts', import.meta.url).href)};
    const cache = createImageCache(${JSON.stringify(settings())});
    await cache.sweep();
    const onProgress = ({ phase }) => process.stdout.write(phase + '\\n');
    await cache.ensure({ source: ${JSON.stringify(source())} }, { signal: new AbortController().signal, onProgress });
    process.stdout.write('ready\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (text) => {
    seen += text;
    if (timer === undefined && seen.includes(`${phase}\n`))
      timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await ended;
  clearTimeout(timer);
  return seen.includes(`${phase}\n`);
}

describe('a conductor that is killed', () => {
  it.each([
    ['fetch', 0],
    ['inspect', 0],
    ['convert', 0],
    ['compress', 0],
    ['compress', 40],
    ['compress', 120],
    ['compress', 250],
  ] as const)('in %s, after %i ms, leaves nothing torn', async (phase, afterMs) => {
    const digest = writeDisk();
    expect(await killedIn(phase, afterMs)).toBe(true);
    const cache = createImageCache(settings(), loopbackOutbound);
    await cache.sweep();
    const left = readdirSync(join(dir, 'cache'));
    expect(left.every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
    expect(left.length).toBeLessThanOrEqual(1);
    const phases = new Set<string>();
    const ready = await cache.ensure(
      { source: source() },
      { signal: new AbortController().signal, onProgress: (at) => phases.add(at.phase) },
    );
    expect(ready).toMatchObject({ sizeBytes: 4 * MEBI, digest: { value: digest } });
    expect(phases.size === 0).toBe(left.length === 1);
    expect(readdirSync(join(dir, 'cache'))).toEqual([ready.id]);
  });
});
