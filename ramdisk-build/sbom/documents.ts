/**
 * The bills of materials of the conductor and of the ramdisk.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DebianPackage } from '../debian-packages.ts';
import { nodeBinary } from '../node-binary.ts';
import { type Bom, bomOf, nodePart, type Part } from './cyclonedx.ts';
import { debianPart } from './debian-parts.ts';
import { type LockFile, npmParts } from './npm-parts.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const lockFile = (): LockFile =>
  JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

function subject(name: string, dependsOn: readonly string[]): Part {
  const component = {
    'bom-ref': name,
    type: 'application',
    name,
    version: VERSION,
    licenses: [{ expression: 'Apache-2.0' }],
  } as const;
  return { component, dependsOn };
}

/** What `ingot serve` needs to run: npm packages and Node. */
export function conductorBom(): Bom {
  const { direct, parts } = npmParts(lockFile(), ['conductor', 'shared']);
  const node = nodePart(nodeBinary().version);
  return bomOf(subject('ingot-conductor', [...direct, node.component['bom-ref']]), [...parts, node]);
}

/** What is in the ramdisk: files of Debian packages, and the agent with its npm packages and Node. */
export function ramdiskBom(packages: readonly DebianPackage[]): Bom {
  const { direct, parts } = npmParts(lockFile(), ['agent', 'shared']);
  const { version, sha256 } = nodeBinary();
  const node = nodePart(version, sha256[process.arch]);
  const debian = packages.map(debianPart);
  const agent = subject('ingot-agent', [...direct, node.component['bom-ref']]);
  const whole = ['ingot-agent', ...debian.map(({ component }) => component['bom-ref'])];
  return bomOf(subject('ingot-ramdisk', whole), [agent, node, ...parts, ...debian]);
}
