/**
 * Every external program that the product, the tests or the tools start is in bin/programs.json, with its Debian
 * package and the top folders that use it. Set-up installs the section `host`; `ramdisk` has the programs that the
 * agent uses in the deploy ramdisk.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from '@ingot/ramdisk-build/contents.ts';
import { HOST_TOOLS } from '@ingot/ramdisk-build/host-tools.ts';
import { describe, expect, it } from 'vitest';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TOP_FOLDERS = ['shared', 'agent', 'conductor', 'ramdisk-build', 'test', 'bin'];
const THIS_TEST = relative(ROOT, fileURLToPath(import.meta.url));

interface Row {
  readonly package: string;
  readonly programs?: readonly string[];
  /** Packages that are needed as files or as Python modules of a client. */
  readonly files?: readonly string[];
  readonly usedBy: readonly string[];
}

const table = JSON.parse(readFileSync(join(ROOT, 'bin/programs.json'), 'utf8')) as Readonly<
  Record<'host' | 'ramdisk', readonly Row[]>
>;
const programsOf = (rows: readonly Row[]): string[] => rows.flatMap(({ programs = [] }) => programs);

const sources = TOP_FOLDERS.flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.([jt]s|sh)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/node_modules/'))
    .map((path) => ({ path: relative(ROOT, path), top, text: readFileSync(path, 'utf8') })),
).filter(({ path }) => path !== THIS_TEST);

/**
 * Where a program is named: as first argument of a call that starts it, or in the list of a network namespace's
 * command.
 */
const STARTS = [
  /(?<![.\w])(?:run|child|exec|execa|execFile|execFileSync|spawn|spawnSync|spawnInside)\(\s*'([^'\s]+)'/g,
  /\bpromisify\(execFile\)\(\s*'([^'\s]+)'/g,
  /\b(?:lab|inside)\.(?:run|spawn)\(\s*'([^'\s]+)'/g,
  /\(\s*'(?:client|server)',\s*\[\s*(?:\.\.\.\[\s*)?'([^'\s]+)'/g,
  /'(\/(?:usr\/)?s?bin\/[^'\s]+)'/g,
];
/** A source that matches none of these starts no program: its `run` is another function. */
const STARTER = /child_process|execa\b|\bRun\b|\brun\.ts'|namespaces\.ts'|\.\/lab\.ts'|program\.js'|bin\//;
/**
 * Words in those places that are not programs: ends of a cable, ipmitool's commands, and programs that a test expects
 * to be missing.
 */
const NO_PROGRAMS = new Set(['client', 'server', 'chassis', 'mc', 'no-such-program']);
/** Part of Node, or written by the set-up. */
const NOT_DEBIAN = new Set(['npm', 'policy-rc.d']);

function startedIn(text: string): Set<string> {
  if (!STARTER.test(text)) return new Set();
  const words = STARTS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!));
  const programs = words.map((word) => basename(word)).filter((word) => !NO_PROGRAMS.has(word));
  return new Set(programs.filter((program) => !NOT_DEBIAN.has(program) && !program.startsWith('.')));
}

/** As a word, quoted or not, or at the end of a path. */
const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w.-])${name.replace(/[.+]/g, '\\$&')}(?![\\w-])`).test(text);

describe('bin/programs.json', () => {
  it('has every program that the sources start', () => {
    const onHost = new Set(programsOf(table.host));
    const inRamdisk = new Set([
      ...programsOf(table.ramdisk),
      ...Object.keys(PROGRAMS).map((path) => basename(path)),
    ]);
    const unknown = sources.flatMap(({ path, top, text }) => {
      const test = /\.test\.ts$/.test(path);
      const known = (program: string): boolean =>
        (top === 'agent' && !test) || path === 'ramdisk-build/contents.ts'
          ? inRamdisk.has(program)
          : onHost.has(program) || inRamdisk.has(program);
      return [...startedIn(text)]
        .filter((program) => !known(program))
        .map((program) => `${path}: ${program}`);
    });
    expect(unknown).toEqual([]);
  });

  it.each(Object.entries(table))(
    'section %s names programs and files that the named folders use',
    (_, rows) => {
      const wrong = rows.flatMap(({ programs = [], files = [], usedBy }) => {
        const used = (name: string, top: string): boolean =>
          sources.some((source) => source.top === top && mentions(source.text, name));
        const names = [...programs, ...files.map((path) => basename(path))];
        const nowhere = names.filter((name) => !usedBy.some((top) => used(name, top)));
        const idle = usedBy.filter((top) => !names.some((name) => used(name, top)));
        return [
          ...nowhere.map((name) => `${name} is used by none of ${usedBy.join(', ')}`),
          ...idle.map((top) => `${top} uses none of ${names.join(', ')}`),
        ];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('names a package once in each section, with a program or file', () => {
    for (const rows of Object.values(table)) {
      const packages = rows.map((row) => row.package);
      expect(packages).toEqual([...new Set(packages)].sort());
      for (const { programs = [], files = [], usedBy } of rows) {
        expect(programs.length + files.length).toBeGreaterThan(0);
        expect(usedBy.filter((top) => !TOP_FOLDERS.includes(top))).toEqual([]);
      }
    }
  });

  it('fits the tables of the ramdisk build', () => {
    const packageOn = new Map(
      table.host.flatMap((row) => (row.programs ?? []).map((program) => [program, row.package] as const)),
    );
    for (const tool of HOST_TOOLS)
      expect([tool.program, packageOn.get(tool.program)]).toEqual([tool.program, tool.package]);
    const packed = new Map(Object.entries(PROGRAMS).map(([path, from]) => [basename(path), from]));
    for (const row of table.ramdisk)
      for (const program of row.programs ?? [])
        expect([program, packed.get(program) ?? row.package]).toEqual([program, row.package]);
    // A program that is not packed under its own name is a link to a packed program.
    const inRamdisk = new Set(packed.values());
    expect(table.ramdisk.filter((row) => !inRamdisk.has(row.package))).toEqual([]);
  });
});
