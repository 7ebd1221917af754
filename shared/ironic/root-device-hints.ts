/**
 * Root device hints: their names, the form of their values, and how they match a disk. Pure.
 *
 * Numbers: `= == != >= <= > <`, where `=` means at least and no operator means `==`. Texts, case-insensitive: `s==
 * s!= s< s<= s> s>=`, `<in> x`, `<all-in> a b`, `<or> a <or> b`; no operator means equality. A hint that can not be
 * parsed is rejected and never ignored, because ignoring it would select the wrong disk.
 */
import { parseFlag } from './field-values.ts';

type HintKind = 'text' | 'gib' | 'flag';

export const ROOT_DEVICE_HINTS = {
  name: 'text',
  model: 'text',
  vendor: 'text',
  serial: 'text',
  wwn: 'text',
  wwn_with_extension: 'text',
  wwn_vendor_extension: 'text',
  hctl: 'text',
  by_path: 'text',
  tran: 'text',
  size: 'gib',
  rotational: 'flag',
} as const satisfies Readonly<Record<string, HintKind>>;

export type HintName = keyof typeof ROOT_DEVICE_HINTS;
/** A property of a disk; sizes are in GiB. */
export type HintValue = string | number | boolean | null;
export type HintTest = (actual: HintValue) => boolean;

type Test<V> = (actual: V) => boolean;
/** A test, or the reason why the value is invalid. */
type Read<V> = Test<V> | string;

export const isHintName = (name: string): name is HintName => Object.hasOwn(ROOT_DEVICE_HINTS, name);

/** The test for a hint, or the reason why its value is invalid. */
export function readHint(name: HintName, wanted: unknown): HintTest | string {
  if (!['string', 'number', 'boolean'].includes(typeof wanted) || String(wanted).trim() === '') {
    return 'must be a text, a number or true or false, and not be empty';
  }
  const [type, read] = READERS[ROOT_DEVICE_HINTS[name]];
  const test = read(String(wanted).trim().toLowerCase());
  // Only values with the hint's type can match: a disk without a serial matches no serial.
  return typeof test === 'string' ? test : (actual) => typeof actual === type && test(actual as never);
}

/** Why `root_device` is invalid, as a phrase that begins with the hint's name; undefined when it is valid. */
export function badRootDeviceHints(hints: unknown): string | undefined {
  if (typeof hints !== 'object' || hints === null || Array.isArray(hints)) {
    return ' must be an object of hints, such as {"serial": "S1"}';
  }
  for (const [name, wanted] of Object.entries(hints)) {
    if (!isHintName(name)) {
      return `.${name} is no hint; hints are ${Object.keys(ROOT_DEVICE_HINTS).join(', ')}`;
    }
    const read = readHint(name, wanted);
    if (typeof read === 'string') return `.${name} ${read}; it is ${JSON.stringify(wanted)}`;
  }
  return undefined;
}

const READERS = {
  text: ['string', readText],
  gib: ['number', readNumber],
  flag: ['boolean', readFlag],
} as const satisfies Readonly<Record<HintKind, readonly [string, (wanted: string) => Read<never>]>>;

function readFlag(wanted: string): Read<boolean> {
  const flag = parseFlag(wanted);
  return flag === undefined ? 'must be true or false' : (actual) => actual === flag;
}

/** Disks hardly ever have a whole number of GiB, so `==` and `!=` compare the whole GiB of the disk. */
const NUMBER: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a >= b,
  '==': (a, b) => Math.floor(a) === b,
  '!=': (a, b) => Math.floor(a) !== b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
};

function readNumber(wanted: string): Read<number> {
  if (wanted.startsWith('<or>')) {
    const tests = alternatives(wanted).map(readNumber);
    const wrong = tests.find((test) => typeof test === 'string');
    if (wrong !== undefined) return wrong;
    return (actual) => tests.some((test) => typeof test !== 'string' && test(actual));
  }
  const [, operator = '==', number] = /^(==|!=|>=|<=|=|>|<)?\s*(\d+(?:\.\d+)?)$/.exec(wanted) ?? [];
  const compare = NUMBER[operator];
  if (number === undefined || compare === undefined) {
    return `must be a number of GiB, alone or after one of ${Object.keys(NUMBER).join(' ')} <or>`;
  }
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
const OPERATOR = /^(s==|s!=|s<=|s>=|s<|s>|<or>|<in>|<all-in>)\s*(.*)$/s;
/** A mistyped operator is rejected: as part of a text it would match no disk, without an error. */
const NO_OPERATOR = /^(?!<or>|<in>|<all-in>)[=!<>~]/;

function readText(wanted: string): Read<string> {
  const test = readWords(wanted);
  return typeof test === 'string' ? test : (actual) => test(actual.trim().toLowerCase());
}

function readWords(wanted: string): Read<string> {
  if (NO_OPERATOR.test(wanted)) {
    return `has an unknown operator; texts have ${Object.keys(TEXT).join(' ')} <in> <all-in> <or>, or none for equality`;
  }
  const [, operator = 's==', rest = wanted] = OPERATOR.exec(wanted) ?? [];
  const words = operator === '<or>' ? alternatives(wanted) : rest.split(/\s+/).filter(Boolean);
  if (words.length === 0) return `has nothing after ${operator}`;
  switch (operator) {
    case '<or>':
      return (actual) => words.includes(actual);
    case '<in>':
      return (actual) => actual.includes(rest);
    case '<all-in>':
      return (actual) => words.every((word) => actual.includes(word));
    default:
      return (actual) => TEXT[operator]?.(actual, rest) ?? false;
  }
}

/** `<or> a <or> b` -> a, b. */
function alternatives(wanted: string): string[] {
  return wanted
    .split('<or>')
    .map((word) => word.trim())
    .filter(Boolean);
}
