/**
 * Root device hints (features C.5): read once, then held against each disk.
 *
 * Numbers: `= == != >= <= > <`, where `=` means at least and no operator `==`. Strings, case-insensitive:
 * `s== s!= s< s<= s> s>=`, `<in> x`, `<all-in> a b`, `<or> a <or> b`; no operator is equality.
 * A hint that cannot be understood is an error and never passed over: it would pick the wrong disk.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';

/** As in `properties.root_device`: hint name to wanted value. */
export type Hints = Readonly<Record<string, unknown>>;

/** A hint understood: what it asks of a disk. */
export interface Hint {
  readonly name: string;
  readonly wanted: unknown;
  readonly actual: (disk: InventoryDisk) => Value;
  readonly matches: (disk: InventoryDisk) => boolean;
}

type Value = string | number | boolean | null;
type Kind = 'text' | 'gib' | 'flag';

const GIB = 1024 ** 3;

const KNOWN: Readonly<Record<string, { readonly kind: Kind; readonly of: (disk: InventoryDisk) => Value }>> =
  {
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
    size: { kind: 'gib', of: (disk) => disk.size / GIB },
    rotational: { kind: 'flag', of: (disk) => disk.rotational },
  };

type Test<V> = (actual: V) => boolean;

const READERS: Readonly<Record<Kind, (wanted: unknown) => Test<Value> | string>> = {
  text: reading('string', (wanted) => readText(wanted)),
  gib: reading('number', (wanted) => readNumber(wanted)),
  flag: reading('boolean', (wanted) => readFlag(wanted)),
};

/** Throws with the field and the first hint in it that is unknown or cannot be understood. */
export function parseHints(hints: Hints, field = 'properties.root_device'): readonly Hint[] {
  return Object.entries(hints).map(([name, wanted]) => {
    const known = KNOWN[name];
    if (known === undefined) {
      throw new Error(`${field}: hint "${name}" is not known; known are ${Object.keys(KNOWN).join(', ')}`);
    }
    const test = READERS[known.kind](wanted);
    if (typeof test === 'string') {
      throw new Error(`${field}: hint ${name}=${JSON.stringify(wanted)} cannot be understood: ${test}`);
    }
    return { name, wanted, actual: known.of, matches: (disk) => test(known.of(disk)) };
  });
}

/** The first hint the disk fails, as a clause; undefined when it matches all. */
export function firstMismatch(disk: InventoryDisk, hints: readonly Hint[]): string | undefined {
  const failed = hints.find((hint) => !hint.matches(disk));
  if (failed === undefined) return undefined;
  const actual = failed.actual(disk);
  const shown = typeof actual === 'number' ? `${actual.toFixed(1)} GiB` : JSON.stringify(actual);
  return `${failed.name} is ${actual === null ? 'not known' : shown}, wanted ${JSON.stringify(failed.wanted)}`;
}

/** Only values of the disk that have the hint's type can match: a disk without a serial matches no serial. */
function reading<T extends 'string' | 'number' | 'boolean'>(
  type: T,
  read: (wanted: string) => Test<never> | string,
): (wanted: unknown) => Test<Value> | string {
  return (wanted) => {
    if (!['string', 'number', 'boolean'].includes(typeof wanted) || String(wanted).trim() === '')
      return 'it must be a text, a number or true or false, and not be empty';
    const test = read(String(wanted).trim().toLowerCase());
    return typeof test === 'string' ? test : (actual) => typeof actual === type && test(actual as never);
  };
}

const TRUE = ['true', 'yes', '1', 'on', 'y', 't'];
const FALSE = ['false', 'no', '0', 'off', 'n', 'f'];

function readFlag(wanted: string): Test<boolean> | string {
  if (TRUE.includes(wanted)) return (actual) => actual;
  return FALSE.includes(wanted) ? (actual) => !actual : 'it must be true or false';
}

/** A disk has hardly ever a round number of GiB, so equality is that of whole GiB. */
const NUMBER: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a >= b,
  '==': (a, b) => Math.floor(a) === b,
  '!=': (a, b) => Math.floor(a) !== b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
};

function readNumber(wanted: string): Test<number> | string {
  if (wanted.startsWith('<or>')) {
    const tests = alternatives(wanted).map(readNumber);
    const wrong = tests.find((test) => typeof test === 'string');
    if (wrong !== undefined) return wrong;
    return (actual) => tests.some((test) => typeof test !== 'string' && test(actual));
  }
  const [, operator = '==', number] = /^(==|!=|>=|<=|=|>|<)?\s*(\d+(?:\.\d+)?)$/.exec(wanted) ?? [];
  const compare = NUMBER[operator];
  if (number === undefined || compare === undefined)
    return `it must be a number of GiB, or one of ${Object.keys(NUMBER).join(' ')} or <or> and such a number`;
  return (actual) => compare(actual, Number(number));
}

const TEXT: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  's==': (a, b) => a === b,
  's!=': (a, b) => a !== b,
  's<=': (a, b) => a <= b,
  's>=': (a, b) => a >= b,
  's<': (a, b) => a < b,
  's>': (a, b) => a > b,
};

function readText(wanted: string): Test<string> | string {
  const test = readWords(wanted);
  return typeof test === 'string' ? test : (actual) => test(actual.trim().toLowerCase());
}

/** What looks like an operator and is none would quietly match no disk. */
const NO_OPERATOR = /^(?!<or>|<in>|<all-in>)[=!<>~]/;

function readWords(wanted: string): Test<string> | string {
  if (NO_OPERATOR.test(wanted))
    return `it begins with no operator of texts; those are ${Object.keys(TEXT).join(' ')} <or> <in> <all-in>`;
  const [, operator = 's==', rest = wanted] =
    /^(s==|s!=|s<=|s>=|s<|s>|<or>|<in>|<all-in>)\s*(.*)$/s.exec(wanted) ?? [];
  if (rest === '') return `nothing follows ${operator}`;
  if (operator === '<or>') {
    const words = alternatives(wanted);
    return words.length === 0 ? `nothing follows ${operator}` : (actual) => words.includes(actual);
  }
  if (operator === '<in>') return (actual) => actual.includes(rest);
  if (operator === '<all-in>') {
    const words = rest.split(/\s+/);
    return (actual) => words.every((word) => actual.includes(word));
  }
  return (actual) => TEXT[operator]?.(actual, rest) ?? false;
}

/** `<or> a <or> b` -> a, b. */
function alternatives(wanted: string): string[] {
  return wanted
    .split('<or>')
    .map((word) => word.trim())
    .filter(Boolean);
}
