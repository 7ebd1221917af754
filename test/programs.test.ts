/**
 * Every external program that the product, the tests or the tools start stands in bin/programs.json, with its Debian
 * package and the top folders that use it. Set-up installs the section `host`; `ramdisk` is what the agent finds in the
 * deploy ramdisk.
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
  /** Needed as files, or as the Python modules of a client. */
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

/** Where the name of a program stands: first in a call that starts it, or in the list given to a network namespace. */
const STARTS = [
  /(?<![.\w])(?:run|child|exec|execa|execFile|execFileSync|spawn|spawnSync|spawnInside)\(\s*'([^'\s]+)'/g,
  /\bpromisify\(execFile\)\(\s*'([^'\s]+)'/g,
  /\b(?:lab|inside)\.(?:run|spawn)\(\s*'([^'\s]+)'/g,
  /\(\s*'(?:client|server)',\s*\[\s*(?:\.\.\.\[\s*)?'([^'\s]+)'/g,
  /'(\/(?:usr\/)?s?bin\/[^'\s]+)'/g,
];
/** A source without any of these starts nothing: what it calls `run` is something else. */
const STARTER = /child_process|execa\b|\bRun\b|\brun\.ts'|namespaces\.ts'|\.\/lab\.ts'|program\.js'|bin\//;
/** They stand in those places and are none: a side of a cable, the first words of ipmitool's commands, and what a test looks for in vain. */
const NO_PROGRAMS = new Set(['client', 'server', 'chassis', 'mc', 'no-such-program']);
/** Come with Node, or are written by the set-up. */
const NOT_DEBIAN = new Set(['npm', 'policy-rc.d']);

function startedIn(text: string): Set<string> {
  if (!STARTER.test(text)) return new Set();
  const words = STARTS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!));
  const programs = words.map((word) => basename(word)).filter((word) => !NO_PROGRAMS.has(word));
  return new Set(programs.filter((program) => !NOT_DEBIAN.has(program) && !program.startsWith('.')));
}

/** A word of its own, quoted or not, or the end of a path. */
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
    'section %s names programs and files that are used where it says',
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

  it('names a package once in each section, with something that is used', () => {
    for (const rows of Object.values(table)) {
      const packages = rows.map((row) => row.package);
      expect(packages).toEqual([...new Set(packages)].sort());
      for (const { programs = [], files = [], usedBy } of rows) {
        expect(programs.length + files.length).toBeGreaterThan(0);
        expect(usedBy.filter((top) => !TOP_FOLDERS.includes(top))).toEqual([]);
      }
    }
  });

  it('agrees with the tables of the ramdisk build', () => {
    const packageOn = new Map(
      table.host.flatMap((row) => (row.programs ?? []).map((program) => [program, row.package] as const)),
    );
    for (const tool of HOST_TOOLS)
      expect([tool.program, packageOn.get(tool.program)]).toEqual([tool.program, tool.package]);
    const packed = new Map(Object.entries(PROGRAMS).map(([path, from]) => [basename(path), from]));
    for (const row of table.ramdisk)
      for (const program of row.programs ?? [])
        expect([program, packed.get(program) ?? row.package]).toEqual([program, row.package]);
    // What is not packed by its own name is a link to a program that is.
    const inRamdisk = new Set(packed.values());
    expect(table.ramdisk.filter((row) => !inRamdisk.has(row.package))).toEqual([]);
  });
});
