/**
 * Root device hints (features C.5): which disks match, and why the others do not.
 *
 * Numbers: `=` (or nothing) means at least for size, `== != >= <= > <`. Strings, case-insensitive:
 * `s== s!= s< s<= s> s>=`, `<in> x`, `<all-in> a b`, `<or> a <or> b`; no operator is equality.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';

export type Hints = Readonly<Record<string, unknown>>;

const GIB = 1024 ** 3;

type Kind = 'text' | 'gib' | 'flag';

const HINTS: Readonly<
  Record<
    string,
    { readonly kind: Kind; readonly of: (disk: InventoryDisk) => string | number | boolean | null }
  >
> = {
  name: { kind: 'text', of: (disk) => disk.name },
  model: { kind: 'text', of: (disk) => disk.model },
  vendor: { kind: 'text', of: (disk) => disk.vendor },
  serial: { kind: 'text', of: (disk) => disk.serial },
  wwn: { kind: 'text', of: (disk) => disk.wwn },
  wwn_with_extension: { kind: 'text', of: (disk) => disk.wwn_with_extension },
  wwn_vendor_extension: { kind: 'text', of: (disk) => disk.wwn_vendor_extension },
  hctl: { kind: 'text', of: (disk) => disk.hctl },
  by_path: { kind: 'text', of: (disk) => disk.by_path },
  tran: { kind: 'text', of: (disk) => disk.tran },
  size: { kind: 'gib', of: (disk) => Math.floor(disk.size / GIB) },
  rotational: { kind: 'flag', of: (disk) => disk.rotational },
};

/** The first hint the disk fails, as a sentence; undefined when it matches all. Throws on a hint that does not exist. */
export function firstMismatch(disk: InventoryDisk, hints: Hints): string | undefined {
  for (const [name, wanted] of Object.entries(hints)) {
    const hint = HINTS[name];
    if (hint === undefined)
      throw new Error(`root device hint "${name}" is not known; known are ${Object.keys(HINTS).join(', ')}`);
    const actual = hint.of(disk);
    if (actual === null || !matches(hint.kind, actual, String(wanted))) {
      return `${name} is ${actual === null ? 'not known' : JSON.stringify(actual)}, wanted ${JSON.stringify(wanted)}`;
    }
  }
  return undefined;
}

function matches(kind: Kind, actual: string | number | boolean, wanted: string): boolean {
  if (kind === 'flag') return actual === /^(true|yes|1|on|y|t)$/i.test(wanted.trim());
  return kind === 'gib' ? compareNumber(Number(actual), wanted) : compareText(String(actual), wanted);
}

const NUMBER: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
};

/** A number without operator must be met exactly, as Ironic does for size. */
function compareNumber(actual: number, wanted: string): boolean {
  const [, operator = '==', number] = /^\s*(==|!=|>=|<=|=|>|<)?\s*(\d+(?:\.\d+)?)\s*$/.exec(wanted) ?? [];
  if (number === undefined)
    throw new Error(`root device hint size: ${JSON.stringify(wanted)} is no number of GiB`);
  return NUMBER[operator]?.(actual, Number(number)) ?? false;
}

const TEXT: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  's==': (a, b) => a === b,
  's!=': (a, b) => a !== b,
  's<=': (a, b) => a <= b,
  's>=': (a, b) => a >= b,
  's<': (a, b) => a < b,
  's>': (a, b) => a > b,
};

function compareText(actualText: string, wantedText: string): boolean {
  const actual = actualText.trim().toLowerCase();
  const wanted = wantedText.trim().toLowerCase();
  if (wanted.startsWith('<or>')) {
    return wanted
      .split('<or>')
      .map((word) => word.trim())
      .filter(Boolean)
      .includes(actual);
  }
  if (wanted.startsWith('<in>')) return actual.includes(wanted.slice(4).trim());
  if (wanted.startsWith('<all-in>'))
    return wanted
      .slice(8)
      .trim()
      .split(/\s+/)
      .every((word) => actual.includes(word));
  const [, operator, rest] = /^(s==|s!=|s<=|s>=|s<|s>)\s*(.*)$/.exec(wanted) ?? [];
  return operator === undefined ? actual === wanted : (TEXT[operator]?.(actual, rest ?? '') ?? false);
}
