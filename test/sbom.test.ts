/** The bills of materials: the rules of CycloneDX 1.6, the same bytes each time, and what is in them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Bom, bomText } from '@ingot/ramdisk-build/sbom/cyclonedx.ts';
import { ramdiskBom } from '@ingot/ramdisk-build/sbom/documents.ts';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'ingot-sbom-'));
afterAll(() => rmSync(directory, { recursive: true }));

const PACKAGES = [
  { name: 'linux-image-6.1.0-1-amd64', version: '6.1.1-1', architecture: 'amd64', sha256: 'a'.repeat(64) },
  { name: 'libstdc++6', version: '1:2.3+dfsg-1~deb12u1', architecture: 'amd64', sha256: '' },
];

async function conductorText(name: string): Promise<string> {
  const path = join(directory, name);
  await promisify(execFile)(process.execPath, [join(ROOT, 'bin/sbom.js'), path], { cwd: directory });
  return readFileSync(path, 'utf8');
}

const TYPES = [
  ...['application', 'framework', 'library', 'container', 'platform', 'operating-system', 'device'],
  ...['device-driver', 'firmware', 'file', 'machine-learning-model', 'data', 'cryptographic-asset'],
];
const HASH_LENGTHS: Readonly<Record<string, number>> = { 'SHA-256': 64, 'SHA-512': 128 };
const KEYS = {
  document: [
    ...['$schema', 'bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata', 'components'],
    'dependencies',
  ],
  component: [
    ...['bom-ref', 'type', 'group', 'name', 'version', 'scope', 'hashes', 'licenses', 'cpe', 'purl'],
  ],
};
const PURL = /^pkg:(npm|deb|generic)\/([\w.%~-]+\/)?[\w.%~-]+@[\w.%~-]+(\?[\w=&.-]+)?$/;

/** Breaches of the schema of CycloneDX 1.6, for the parts of it that the documents use. */
function breaches(bom: Bom): string[] {
  const found: string[] = [];
  const check = (holds: boolean, what: string) => holds || found.push(what);
  const keys = (value: object, allowed: readonly string[], where: string) =>
    check(
      Object.keys(value).every((key) => allowed.includes(key)),
      `${where} has an unknown key`,
    );
  keys(bom, KEYS.document, 'the document');
  check(bom.bomFormat === 'CycloneDX' && bom.specVersion === '1.6', 'format or version');
  check(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bom.serialNumber), 'serialNumber');
  check(Number.isInteger(bom.version) && bom.version >= 1, 'version');
  const all = [bom.metadata.component, ...bom.components];
  for (const component of all) {
    const ref = component['bom-ref'];
    keys(component, KEYS.component, ref);
    check(ref !== '' && component.name !== '' && component.version !== '', `${ref}: empty`);
    check(TYPES.includes(component.type), `${ref}: type ${component.type}`);
    check([undefined, 'required', 'optional', 'excluded'].includes(component.scope), `${ref}: scope`);
    for (const { alg, content } of component.hashes ?? [])
      check(/^[0-9a-f]+$/.test(content) && content.length === HASH_LENGTHS[alg], `${ref}: ${alg}`);
    check((component.licenses ?? [{}]).length === 1, `${ref}: several expressions`);
    check(component.purl === undefined || PURL.test(component.purl), `${ref}: purl ${component.purl}`);
    check(component.cpe === undefined || /^cpe:2\.3:[aho](:[^:]+){10}$/.test(component.cpe), `${ref}: cpe`);
  }
  const refs = all.map((component) => component['bom-ref']);
  check(new Set(refs).size === refs.length, 'a bom-ref is not unique');
  check(new Set(bom.dependencies.map(({ ref }) => ref)).size === refs.length, 'dependencies');
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) check(refs.includes(one), `${ref}: unknown reference ${one}`);
  return found;
}

/** Components that nothing in the document needs. */
function unreachable(bom: Bom): string[] {
  const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set<string>();
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const one of needs.get(ref) ?? []) visit(one);
  };
  visit(bom.metadata.component['bom-ref']);
  return bom.components.map((component) => component['bom-ref']).filter((ref) => !reached.has(ref));
}

const names = (bom: Bom) =>
  bom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));

describe('the bill of materials of the conductor', () => {
  it('follows CycloneDX, and is the same each time', async () => {
    const text = await conductorText('one.json');
    const bom = JSON.parse(text) as Bom;
    expect(breaches(bom)).toEqual([]);
    expect(unreachable(bom)).toEqual([]);
    expect(await conductorText('two.json')).toBe(text);
  });

  it('has what runs, with digests and licenses, and nothing of tests and builds', async () => {
    const bom = JSON.parse(await conductorText('three.json')) as Bom;
    const has = names(bom);
    expect(has).toEqual(expect.arrayContaining(['node', 'fastify', '@fastify/rate-limit', 'better-sqlite3']));
    for (const name of ['vitest', 'typescript', 'esbuild', '@biomejs/biome', 'postject', 'fast-check'])
      expect(has).not.toContain(name);
    const packages = bom.components.filter(({ name }) => name !== 'node');
    expect(packages.filter(({ hashes, licenses }) => !hashes || !licenses)).toEqual([]);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/fastify/package.json'), 'utf8')) as {
      version: string;
    };
    expect(bom.components).toContainEqual(expect.objectContaining({ name: 'fastify', version }));
  });
});

describe('the bill of materials of the ramdisk', () => {
  const bom = ramdiskBom(PACKAGES);

  it('follows CycloneDX, whatever the order of the packages', () => {
    expect(breaches(bom)).toEqual([]);
    expect(unreachable(bom)).toEqual([]);
    expect(bomText(ramdiskBom(PACKAGES.toReversed()))).toBe(bomText(bom));
    expect(bomText(ramdiskBom(PACKAGES.slice(0, 1)))).not.toBe(bomText(bom));
  });

  it('has Debian packages, the agent, its npm packages and the binary of Node', () => {
    expect(names(bom)).toEqual(
      expect.arrayContaining(['debian/libstdc++6', 'ingot-agent', 'undici', 'fastify', 'node']),
    );
    expect(names(bom)).not.toContain('better-sqlite3');
    expect(bom.components).toContainEqual(
      expect.objectContaining({
        name: 'libstdc++6',
        purl: 'pkg:deb/debian/libstdc%2B%2B6@1%3A2.3%2Bdfsg-1~deb12u1?arch=amd64&distro=debian-12',
      }),
    );
    const node = bom.components.find(({ name }) => name === 'node');
    expect(node?.hashes).toHaveLength(1);
  });
});

it('the rules are checked: a damaged document is found', () => {
  const bom = ramdiskBom(PACKAGES);
  const [first, ...rest] = bom.components as [Bom['components'][number], ...Bom['components']];
  const damaged = [
    { ...bom, serialNumber: 'urn:uuid:x' },
    { ...bom, components: [{ ...first, 'bom-ref': 'other' }, ...rest] },
    { ...bom, components: [{ ...first, hashes: [{ alg: 'SHA-256', content: 'ab' }] as const }, ...rest] },
    { ...bom, components: [{ ...first, colour: 'red' }, ...rest] },
  ];
  for (const one of damaged) expect(breaches(one)).not.toEqual([]);
});
