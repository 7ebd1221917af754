/**
 * The Node binary that becomes the agent. The npm package `node` fetches it in an install script, which the lock file
 * does not cover, so its digest is in the repository.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { BuildFailure } from './failure.ts';

interface NodeBinary {
  readonly version: string;
  /** Architecture, as in process.arch -> digest. */
  readonly sha256: Readonly<Record<string, string>>;
}

const FILE = join(dirname(fileURLToPath(import.meta.url)), 'node-binary.json');

export const nodeBinary = (): NodeBinary => JSON.parse(readFileSync(FILE, 'utf8')) as NodeBinary;

/** Throws BuildFailure unless the file is the Node that the repository names. */
export async function verifyNode(path: string, arch: string = process.arch): Promise<void> {
  const { version, sha256 } = nodeBinary();
  const expected = sha256[arch];
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const found = hash.digest('hex');
  if (found === expected) return;
  const wanted =
    expected === undefined ? `has no digest of Node for ${arch}` : `names Node ${version} with ${expected}`;
  throw new BuildFailure(
    `${path} has the sha256 digest ${found}, but ramdisk-build/node-binary.json ${wanted}. Delete node_modules/node and install again; if the version was changed on purpose, check the new binary and add its digest`,
  );
}
