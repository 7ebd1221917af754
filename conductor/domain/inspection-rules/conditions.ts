/**
 * Whether the conditions of an inspection rule are true for the inspection data. Pure.
 */
import { BlockList, isIP } from 'node:net';
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { PatternParser, TextPattern } from '../text-pattern.ts';
import {
  CONDITIONS,
  type ConditionOp,
  type InspectionRule,
  namedArgs,
  type OperatorSpec,
  PATTERN_RULES,
  parseOp,
} from './rule.ts';
import { RuleFailure } from './rule-failure.ts';
import { fill, type RuleValues, textOf } from './template.ts';

/** Longer texts are not searched, because unknown machines send them. */
const MAX_SEARCHED = 4_096;

type Test = (args: JsonObject, parse: PatternParser) => boolean;

/** A text that contains a number is compared as a number; everything else as text. */
function compare(a: Json, b: Json, asText: boolean): number {
  const numbers = [a, b].map((value) =>
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : Number.NaN,
  );
  const [first = Number.NaN, second = Number.NaN] = numbers;
  if (!asText && !Number.isNaN(first) && !Number.isNaN(second)) return first - second;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const inSequence =
  (fits: (order: number) => boolean): Test =>
  ({ values, force_strings: asText }) => {
    const list: readonly Json[] = Array.isArray(values) ? values : [];
    return list.every(
      (value, index) => index === 0 || fits(compare(list[index - 1] as Json, value, asText === true)),
    );
  };

const isEmpty = (value: Json): boolean => ['', 'None', '[]', '{}'].includes(textOf(value)) || value === null;

const flagOf = (value: Json): boolean | undefined => {
  if (typeof value === 'number') return value !== 0;
  return parseFlag(value);
};

function isInNet(address: string, subnet: string): boolean {
  const [network = '', given] = subnet.split('/');
  const family = isIP(network);
  const bits = given === undefined ? (family === 6 ? 128 : 32) : Number(given);
  if (family === 0 || isIP(address) !== family || !Number.isInteger(bits)) return false;
  if (bits < 0 || bits > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  const type = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(network, bits, type);
  return list.check(address, type);
}

const searched = (value: Json): string => textOf(value).slice(0, MAX_SEARCHED);

function patternOf(regex: Json | undefined, parse: PatternParser): TextPattern {
  const pattern = parse(String(regex));
  if (pattern !== undefined) return pattern;
  throw new RuleFailure(`the regular expression ${JSON.stringify(regex)} can not be used: ${PATTERN_RULES}`);
}

const TESTS: Readonly<Record<ConditionOp, Test>> = {
  eq: inSequence((order) => order === 0),
  lt: inSequence((order) => order < 0),
  gt: inSequence((order) => order > 0),
  'is-empty': ({ value = null }) => isEmpty(value),
  'is-none': ({ value = null }) => value === null || value === 'None',
  'is-true': ({ value = null }) => flagOf(value) === true,
  'is-false': ({ value = null }) => value === null || value === 'None' || flagOf(value) === false,
  'in-net': ({ address, subnet }) => isInNet(String(address), String(subnet)),
  matches: ({ value = null, regex }, parse) => patternOf(regex, parse).matches(searched(value)),
  contains: ({ value = null, regex }, parse) => patternOf(regex, parse).finds(searched(value)),
  'one-of': ({ value = null, values }) =>
    Array.isArray(values) && values.some((one: Json) => compare(one, value, false) === 0),
};

/** Throws RuleFailure when the rule has a regular expression that can not be used. */
export function holds(
  rule: Pick<InspectionRule, 'conditions'>,
  values: RuleValues,
  parse: PatternParser,
): boolean {
  return rule.conditions.every((condition) => isMet(condition, values, parse));
}

/** Items of a loop; an object is one item. */
export function itemsOf(loop: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(loop)) return loop.length === 0 ? undefined : loop;
  return isJsonObject(loop) && Object.keys(loop).length > 0 ? [loop] : undefined;
}

function isMet(condition: JsonObject, values: RuleValues, parse: PatternParser): boolean {
  const items = itemsOf(condition['loop']);
  if (items === undefined) return isMetOnce(condition, values, false, parse);
  const met = items.map((item) => isMetOnce(condition, { ...values, item }, true, parse));
  switch (condition['multiple']) {
    case 'all':
      return met.every(Boolean);
    case 'last':
      return met.at(-1) === true;
    default:
      return met.some(Boolean);
  }
}

function isMetOnce(
  condition: JsonObject,
  values: RuleValues,
  inLoop: boolean,
  parse: PatternParser,
): boolean {
  const { name, inverted } = parseOp(String(condition['op']));
  const op = name as ConditionOp;
  const spec: OperatorSpec = CONDITIONS[op];
  const absent = op === 'is-empty' || op === 'is-none' ? null : undefined;
  const args = Object.fromEntries(
    Object.entries(namedArgs(CONDITIONS[op], condition['args'])).map(([key, value]) => [
      key,
      inLoop || spec.filled?.includes(key) ? fill(value, values, absent) : value,
    ]),
  );
  return TESTS[op](args, parse) !== inverted;
}
