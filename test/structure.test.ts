/**
 * The structure of the product: allowed imports, no import circles, the length of files, who may start programs, and
 * which rooms are pure. docs/architecture.md explains the rules.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findCircles, packageImports, projectImports, type Source } from './import-graph.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const MAX_SOURCE_LINES = 400;

/** Room -> rooms it may import from. A room is a workspace, a folder directly inside conductor/ or one inside conductor/api/. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  agent: ['shared'],
  'ramdisk-build': [],
  'conductor/domain': ['shared'],
  'conductor/engine': ['shared', 'conductor/domain'],
  'conductor/store': ['shared', 'conductor/domain'],
  'conductor/bmc': ['shared', 'conductor/domain'],
  'conductor/http': [],
  'conductor/own-key': [],
  'conductor/outbound': ['conductor/domain'],
  'conductor/netboot': ['shared', 'conductor/domain', 'conductor/http'],
  'conductor/images': ['shared', 'conductor/domain', 'conductor/http', 'conductor/own-key'],
  'conductor/agent-link': ['shared', 'conductor/domain'],
  'conductor/drivers': ['shared', 'conductor/domain', 'conductor/bmc'],
  // The settings of each room.
  'conductor/config': [
    'conductor/domain',
    'conductor/agent-link',
    'conductor/api/cloud',
    'conductor/api/ironic',
    'conductor/auth',
    'conductor/drivers',
    'conductor/engine',
    'conductor/image-service',
    'conductor/images',
    'conductor/netboot',
    'conductor/outbound',
    'conductor/scheduler',
    'conductor/servers',
    'conductor/store',
  ],
  'conductor/cli': ['shared', 'conductor/domain', 'conductor/config'],
  'conductor/identity': ['conductor/domain', 'conductor/own-key'],
  'conductor/auth': ['shared', 'conductor/domain', 'conductor/identity'],
  'conductor/scheduler': ['shared', 'conductor/domain'],
  'conductor/image-service': ['shared', 'conductor/domain', 'conductor/identity'],
  'conductor/network-service': ['shared', 'conductor/domain', 'conductor/identity'],
  'conductor/servers': [
    'shared',
    'conductor/domain',
    'conductor/engine',
    'conductor/scheduler',
    'conductor/identity',
    'conductor/image-service',
    'conductor/network-service',
  ],
  'conductor/api/kit': ['shared', 'conductor/domain'],
  'conductor/api/ironic': [
    'shared',
    'conductor/domain',
    'conductor/engine',
    'conductor/auth',
    'conductor/api/kit',
  ],
  'conductor/api/cloud': [
    'conductor/domain',
    'conductor/engine',
    'conductor/auth',
    'conductor/identity',
    'conductor/servers',
    'conductor/image-service',
    'conductor/network-service',
    'conductor/api/kit',
  ],
  'conductor/api/nova': [
    'shared',
    'conductor/domain',
    'conductor/identity',
    'conductor/scheduler',
    'conductor/servers',
    'conductor/network-service',
    'conductor/api/kit',
    'conductor/api/cloud',
  ],
  'conductor/api/glance': [
    'shared',
    'conductor/domain',
    'conductor/engine',
    'conductor/identity',
    'conductor/image-service',
    // Image data is sent like the files of the boot server.
    'conductor/http',
    'conductor/api/kit',
    'conductor/api/cloud',
  ],
  'conductor/api/neutron': [
    'shared',
    'conductor/domain',
    'conductor/identity',
    'conductor/network-service',
    'conductor/api/kit',
    'conductor/api/cloud',
  ],
  'conductor/api/keystone': [
    'conductor/domain',
    'conductor/auth',
    'conductor/identity',
    'conductor/api/kit',
    'conductor/api/cloud',
  ],
};

/**
 * `conductor/app` creates and connects the other rooms and may import all of them. Only the programs in `bin` import
 * it.
 */
const COMPOSITION = 'conductor/app';

const MAY_SPAWN = ['agent/exec', 'conductor/images', 'ramdisk-build', 'test', 'bin'];

/** Rooms without I/O. */
const PURE = ['shared', 'conductor/domain', 'conductor/scheduler'];
const HAS_EFFECTS =
  /^(node:(?!crypto$|net$|buffer$|util$|zlib$)|fastify|undici|execa|better-sqlite3|kysely|pino)/;

function sourcesUnder(dir: string): Source[] {
  return readdirSync(join(ROOT, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/node_modules|\.gen\.ts$/.test(path))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

/** The room that a file belongs to. */
function roomOf(path: string): string {
  const [top, second, third, fourth] = path.split('/');
  if (top !== 'conductor' || third === undefined) return top ?? '';
  return second === 'api' && fourth !== undefined ? `${top}/${second}/${third}` : `${top}/${second}`;
}

const importsOf = (source: Source): string[] => projectImports(source, ROOT);

const all = ['shared', 'agent', 'conductor', 'ramdisk-build', 'bin'].flatMap(sourcesUnder);
const isTest = (path: string) => /\.test\.ts$/.test(path);
const product = all.filter((source) => !isTest(source.path));

describe('structure', () => {
  it('finds source files', () => {
    expect(product.length).toBeGreaterThan(2);
  });

  it.each(Object.entries(MAY_IMPORT))('%s imports only from the allowed rooms', (room, allowed) => {
    const wrong = product
      .filter((source) => roomOf(source.path) === room)
      .flatMap((source) => importsOf(source).map((target) => ({ from: source.path, target })))
      .filter(({ target }) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
      .map(({ from, target }) => `${from} -> ${target}`);
    expect(wrong).toEqual([]);
  });

  it('has no unused import rule', () => {
    const used = new Set(
      product.flatMap((source) => importsOf(source).map((to) => `${roomOf(source.path)} -> ${roomOf(to)}`)),
    );
    const rules = Object.entries(MAY_IMPORT).flatMap(([room, allowed]) =>
      allowed.map((to) => `${room} -> ${to}`),
    );
    expect(rules.filter((rule) => !rule.endsWith(' -> shared') && !used.has(rule))).toEqual([]);
  });

  it('has no import circle, types included', () => {
    const circles = findCircles(new Map(product.map((source) => [source.path, importsOf(source)])));
    expect(circles).toEqual([]);
  });

  it('has no circle of rooms', () => {
    expect(findCircles(new Map(Object.entries(MAY_IMPORT)))).toEqual([]);
  });

  it.each(PURE)('%s does no I/O', (room) => {
    const wrong = product
      .filter((source) => roomOf(source.path) === room)
      .flatMap((source) => packageImports(source).map((name) => `${source.path} -> ${name}`))
      .filter((entry) => HAS_EFFECTS.test(entry.split(' -> ')[1]!));
    expect(wrong).toEqual([]);
  });

  it('has a row for every room', () => {
    const rooms = new Set(product.map((source) => roomOf(source.path)));
    const known = [...Object.keys(MAY_IMPORT), COMPOSITION, 'bin'];
    expect([...rooms].filter((room) => !known.includes(room))).toEqual([]);
    expect(known.filter((room) => !rooms.has(room))).toEqual([]);
  });

  it('is composed in one room, which only the programs import', () => {
    const users = product
      .filter((source) => roomOf(source.path) !== COMPOSITION)
      .filter((source) => importsOf(source).some((target) => roomOf(target) === COMPOSITION))
      .map((source) => roomOf(source.path));
    expect([...new Set(users)]).toEqual(['bin']);
  });

  it('holds no source file over 400 lines', () => {
    const long = product
      .map((source) => ({ path: source.path, lines: source.text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_SOURCE_LINES);
    expect(long).toEqual([]);
  });

  it('starts programs only in the allowed rooms, and never through a shell', () => {
    const spawning = product
      .filter((s) => /from '(node:child_process|execa)'/.test(s.text))
      .map((s) => s.path);
    expect(spawning.filter((path) => !MAY_SPAWN.some((room) => path.startsWith(`${room}/`)))).toEqual([]);
    expect(
      product
        .filter((s) => /shell:\s*(true|['"])|\bexecSync\(|\bexec\(\s*[`'"]/.test(s.text))
        .map((s) => s.path),
    ).toEqual([]);
  });

  it('starts programs only with an environment of their own', () => {
    const starting = product.filter(
      (s) => !s.path.startsWith('bin/') && /\b(execa|spawn|spawnSync|execFile)\(\s*['"a-z]/.test(s.text),
    );
    const explicit = /extendEnv: false|\benv: \{ PATH:|\.\.\.childEnvironment\(\)/;
    const own = starting.filter((s) => /node:child_process|execa/.test(s.text));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((s) => !explicit.test(s.text)).map((s) => s.path)).toEqual([]);
  });

  it('has no file with a generic name', () => {
    const vague = product.filter((s) =>
      /(^|\/)(utils?|helpers?|common|manager|misc|base)(\.|\/)/.test(s.path),
    );
    expect(vague.map((s) => s.path)).toEqual([]);
  });
});
