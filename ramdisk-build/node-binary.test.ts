import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { nodeBinary, verifyNode } from './node-binary.ts';

const ROOT = resolve(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const directory = mkdtempSync(join(tmpdir(), 'ingot-node-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('the installed Node is the one that the repository names, in the version of package.json', async () => {
  await verifyNode(NODE);
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(nodeBinary().version).toBe(devDependencies['node']);
});

it('another file is refused with both digests', async () => {
  const path = join(directory, 'node');
  writeFileSync(path, 'not Node');
  await expect(verifyNode(path)).rejects.toThrow(
    /has the sha256 digest [0-9a-f]{64}, but ramdisk-build\/node-binary\.json names Node \d+\.\d+\.\d+ with [0-9a-f]{64}\. Delete node_modules\/node/,
  );
  await expect(verifyNode(NODE, 'sparc')).rejects.toThrow('has no digest of Node for sparc');
});
