import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST_TOOLS, requireTools } from './host-tools.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-tools-'));
  for (const { program } of HOST_TOOLS)
    if (!['zstd', 'strip'].includes(program)) await writeFile(join(dir, program), '', { mode: 0o755 });
  await writeFile(join(dir, 'zstd'), '', { mode: 0o644 });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('programs of the build', () => {
  it('names all that are missing or can not be run, and how to install them', () => {
    expect(() => requireTools(HOST_TOOLS, dir)).toThrow(
      'the build needs programs that are not installed: strip, zstd. On Debian: apt-get install binutils zstd',
    );
  });

  it('names a package once', () => {
    expect(() => requireTools(HOST_TOOLS, '/nonexistent')).toThrow(/install apt dpkg kmod binutils zstd$/);
  });

  it('reports nothing when none is missing', () => {
    const there = HOST_TOOLS.filter(({ program }) => !['zstd', 'strip'].includes(program));
    expect(() => requireTools(there, `/nonexistent:${dir}`)).not.toThrow();
  });
});
