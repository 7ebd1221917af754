/**
 * Inspection rules, which administrators define to process the data of in-band inspection. This file has the
 * operators of conditions and actions with their arguments, and checks the form of rules. API 1.96.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Recorded } from '../resources.ts';
import { MAX_PATTERN, type PatternParser } from '../text-pattern.ts';

export interface InspectionRule extends Recorded {
  readonly description: string | null;
  /** 0 to 9999; rules run from high to low. */
  readonly priority: number;
  readonly phase: string;
  /** A sensitive rule sees secrets in clear, and the API never shows its conditions and actions. */
  readonly sensitive: boolean;
  /** `{op, args, loop?, multiple?}` each; all must hold. */
  readonly conditions: readonly JsonObject[];
  /** `{op, args, loop?}` each. */
  readonly actions: readonly JsonObject[];
}

export interface OperatorSpec {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Arguments in which fields such as `{node.name}` are replaced by values. In a loop, all arguments. */
  readonly filled?: readonly string[];
}

const VALUES: OperatorSpec = { required: ['values'], optional: ['force_strings'], filled: ['values'] };
const VALUE: OperatorSpec = { required: ['value'], filled: ['value'] };
const MATCH: OperatorSpec = { required: ['value', 'regex'], filled: ['value'] };

export const CONDITIONS = {
  eq: VALUES,
  lt: VALUES,
  gt: VALUES,
  'is-empty': VALUE,
  'is-none': VALUE,
  'is-true': VALUE,
  'is-false': VALUE,
  'in-net': { required: ['address', 'subnet'], filled: ['address', 'subnet'] },
  matches: MATCH,
  contains: MATCH,
  'one-of': { required: ['value'], optional: ['values'], filled: ['value'] },
} as const satisfies Record<string, OperatorSpec>;
export type ConditionOp = keyof typeof CONDITIONS;

const SET = { required: ['path', 'value'], filled: ['value'] } as const;
const EXTEND = { ...SET, optional: ['unique'] } as const;
const PATH = { required: ['path'] } as const;

export const ACTIONS = {
  fail: { required: ['msg'] },
  log: { required: ['msg'], optional: ['level'], filled: ['msg'] },
  'set-attribute': SET,
  'extend-attribute': EXTEND,
  'del-attribute': PATH,
  'set-capability': { required: ['name', 'value'], filled: ['value'] },
  'unset-capability': { required: ['name'] },
  'add-trait': { required: ['name'] },
  'remove-trait': { required: ['name'] },
  'set-plugin-data': SET,
  'extend-plugin-data': EXTEND,
  'unset-plugin-data': PATH,
  'set-port-attribute': { ...SET, required: ['port_id', 'path', 'value'] },
  'extend-port-attribute': { ...EXTEND, required: ['port_id', 'path', 'value'] },
  'del-port-attribute': { required: ['port_id', 'path'] },
  'api-call': {
    required: ['url'],
    optional: ['headers', 'timeout', 'retries', 'backoff_factor'],
    filled: ['url'],
  },
} as const satisfies Record<string, OperatorSpec>;
export type ActionOp = keyof typeof ACTIONS;

export const MULTIPLE = ['any', 'all', 'first', 'last'] as const;

/** `!eq` -> eq, inverted. */
export function parseOp(op: string): { readonly name: string; readonly inverted: boolean } {
  const text = op.trim();
  return text.startsWith('!')
    ? { name: text.slice(1).trim(), inverted: true }
    : { name: text, inverted: false };
}

/** Arguments by name. A list, the old form, has them in the order of the table. */
export function namedArgs(spec: OperatorSpec, args: Json | undefined): JsonObject {
  if (!Array.isArray(args)) return isJsonObject(args) ? args : {};
  const names = [...spec.required, ...(spec.optional ?? [])];
  return Object.fromEntries(args.slice(0, names.length).map((value: Json, index) => [names[index], value]));
}

/** Why a condition or an action is invalid, as a sentence that names its place; undefined when it is valid. */
export function badEntry(
  kind: 'conditions' | 'actions',
  entry: unknown,
  index: number,
  parse: PatternParser,
): string | undefined {
  const where = `${kind}[${index}]`;
  if (!isJsonObject(entry)) return `${where} must be an object`;
  const known: Readonly<Record<string, OperatorSpec>> = kind === 'conditions' ? CONDITIONS : ACTIONS;
  const { op, args, loop, multiple, ...more } = entry;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `${where} has an unknown key "${unknown}"`;
  if (typeof op !== 'string') return `${where}.op is missing`;
  const { name, inverted } = kind === 'conditions' ? parseOp(op) : { name: op, inverted: false };
  const spec = Object.hasOwn(known, name) ? known[name] : undefined;
  if (spec === undefined) {
    return `${where}.op "${inverted ? '!' : ''}${name.slice(0, 40)}" is none of ${Object.keys(known).join(', ')}`;
  }
  if (loop !== undefined && loop !== null && typeof loop !== 'object')
    return `${where}.loop must be a list or an object`;
  if (multiple !== undefined && !(MULTIPLE as readonly unknown[]).includes(multiple)) {
    return `${where}.multiple must be one of ${MULTIPLE.join(', ')}`;
  }
  const bad = badArgs(spec, args, loop !== undefined && loop !== null, parse);
  return bad === undefined ? undefined : `${where} (${name}) ${bad}`;
}

function badArgs(
  spec: OperatorSpec,
  args: Json | undefined,
  inLoop: boolean,
  parse: PatternParser,
): string | undefined {
  const names = [...spec.required, ...(spec.optional ?? [])];
  if (!isJsonObject(args) && !Array.isArray(args)) return 'needs "args", an object';
  if (Array.isArray(args) && args.length > names.length) return `takes at most ${names.length} arguments`;
  const given = namedArgs(spec, args);
  const missing = spec.required.filter((name) => !Object.hasOwn(given, name));
  if (missing.length > 0) return `lacks the argument ${missing.join(', ')}`;
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) return `takes no argument ${unknown.join(', ')}, only ${names.join(', ')}`;
  const { path, regex } = given;
  if (path !== undefined && typeof path !== 'string') return '"path" must be a text';
  return regex === undefined ? undefined : badRegex(regex, inLoop, parse);
}

/** In a loop, a pattern with fields such as `{item}` is known only when the rule runs. */
function badRegex(regex: Json, inLoop: boolean, parse: PatternParser): string | undefined {
  if (typeof regex !== 'string' || regex === '' || regex.length > MAX_PATTERN) {
    return `"regex" must be a text of 1 to ${MAX_PATTERN} characters`;
  }
  if (parse(regex) !== undefined || (inLoop && /\{[A-Za-z_]/.test(regex))) return undefined;
  return `"regex" is not a regular expression that can be used here: ${PATTERN_RULES}`;
}

/** What to tell about a pattern that can not be used. */
export const PATTERN_RULES = 'it must be one of RE2 (no look-ahead, no back-references), and not too large';
