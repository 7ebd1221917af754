/**
 * Applies the actions of inspection rules to a node, its ports and its plugin data. Pure: changes are made to a
 * draft, and actions with outside effects are returned for the caller to perform.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import type { PatternParser } from '../text-pattern.ts';
import { holds, itemsOf } from './conditions.ts';
import { ACTIONS, type ActionOp, type InspectionRule, namedArgs, type OperatorSpec } from './rule.ts';
import { RuleFailure } from './rule-failure.ts';
import { fill, type RuleValues, textOf } from './template.ts';

/** The fields that rules may change, in wire form. */
export interface Draft {
  readonly node: JsonObject;
  readonly traits: readonly string[];
  /** `uuid`, `address` and the fields that rules may change. */
  readonly ports: readonly JsonObject[];
  readonly pluginData: JsonObject;
}

export type Effect =
  | { readonly kind: 'log'; readonly level: string; readonly message: string }
  | {
      readonly kind: 'call';
      readonly url: string;
      readonly headers: JsonObject;
      readonly timeoutMs: number;
      readonly retries: number;
      readonly backoffMs: number;
    };

export interface Outcome {
  readonly draft: Draft;
  readonly effects: readonly Effect[];
  /** Why inspection fails. Rules after the failed one did not run. */
  readonly failure?: string;
}

export interface Found {
  readonly inventory: JsonObject;
  /** Hides secrets from rules that are not sensitive. */
  readonly mask: (json: JsonObject) => JsonObject;
  /** For the regular expressions of conditions. */
  readonly parsePattern: PatternParser;
}

/** Runs the rules from high priority to low. */
export function applyRules(rules: readonly InspectionRule[], draft: Draft, found: Found): Outcome {
  let outcome: Outcome = { draft, effects: [] };
  for (const rule of rules.toSorted((a, b) => b.priority - a.priority)) {
    const view = (json: JsonObject): JsonObject => (rule.sensitive ? json : found.mask(json));
    const values = (): RuleValues => ({
      node: view({ ...outcome.draft.node, traits: [...outcome.draft.traits] }),
      inventory: view(found.inventory),
      plugin_data: view(outcome.draft.pluginData),
    });
    try {
      if (!holds(rule, values(), found.parsePattern)) continue;
      for (const action of rule.actions) {
        for (const item of itemsOf(action['loop']) ?? [undefined])
          outcome = act(action, outcome, values(), item);
      }
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error;
      const name = rule.description ?? rule.uuid;
      return { ...outcome, failure: `inspection rule "${name}": ${error.message}` };
    }
  }
  return outcome;
}

function act(action: JsonObject, outcome: Outcome, values: RuleValues, item: Json | undefined): Outcome {
  const op = String(action['op']) as ActionOp;
  const spec: OperatorSpec = ACTIONS[op];
  const inLoop = item !== undefined;
  const within = inLoop ? { ...values, item } : values;
  const args = Object.fromEntries(
    Object.entries(namedArgs(ACTIONS[op], action['args'])).map(([key, value]) => [
      key,
      inLoop || spec.filled?.includes(key) ? fill(value, within) : value,
    ]),
  );
  const { draft, effects } = outcome;
  if (op === 'fail') throw new RuleFailure(textOf(args['msg'] ?? ''));
  if (op === 'log' || op === 'api-call') return { draft, effects: [...effects, effectOf(op, args)] };
  return { draft: CHANGES[op](draft, args), effects };
}

const number = (value: Json | undefined, otherwise: number, most: number): number => {
  const given = value === undefined ? otherwise : Number(value);
  return Number.isFinite(given) && given >= 0 ? Math.min(given, most) : otherwise;
};

function effectOf(op: 'log' | 'api-call', args: JsonObject): Effect {
  if (op === 'log') {
    return { kind: 'log', level: String(args['level'] ?? 'info'), message: textOf(args['msg'] ?? '') };
  }
  const { headers } = args;
  return {
    kind: 'call',
    url: textOf(args['url'] ?? ''),
    headers: isJsonObject(headers) ? headers : {},
    timeoutMs: number(args['timeout'], 5, 60) * 1_000,
    retries: Math.floor(number(args['retries'], 3, 10)),
    backoffMs: number(args['backoff_factor'], 0.3, 10) * 1_000,
  };
}

type Change = (draft: Draft, args: JsonObject) => Draft;
type Edit = (before: Json | undefined) => Json | undefined;

/** `a/b/c` or `a.b.c`. */
const partsOf = (path: Json | undefined): string[] => {
  const text = String(path);
  const parts = text.includes('/') ? text.split('/').filter((part) => part !== '') : text.split('.');
  if (parts.length === 0 || parts.includes('__proto__') || parts.includes('')) {
    throw new RuleFailure(`the path "${text}" leads nowhere`);
  }
  if (parts.length > MAX_JSON_DEPTH) throw new RuleFailure(`the path has more than ${MAX_JSON_DEPTH} levels`);
  return parts;
};

/**
 * The object with the value at the end of the path changed; undefined removes it. Missing objects on the way are
 * created.
 */
function edited(object: JsonObject, [key = '', ...rest]: readonly string[], edit: Edit): JsonObject {
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  if (rest.length > 0 && before !== undefined && before !== null && !isJsonObject(before)) {
    throw new RuleFailure(`"${key}" holds no object to look for "${rest.join('.')}" in`);
  }
  const after = rest.length === 0 ? edit(before) : edited(isJsonObject(before) ? before : {}, rest, edit);
  if (after !== undefined) return { ...object, [key]: after };
  const { [key]: _gone, ...kept } = object;
  return kept;
}

const set =
  ({ value = null }: JsonObject): Edit =>
  () =>
    value;

const extend =
  ({ value = null, unique }: JsonObject): Edit =>
  (before) => {
    if (before !== undefined && before !== null && !Array.isArray(before)) {
      throw new RuleFailure('only a list can be extended');
    }
    const list: readonly Json[] = Array.isArray(before) ? before : [];
    const there = list.some((item) => JSON.stringify(item) === JSON.stringify(value));
    return unique === true && there ? list : [...list, value];
  };

const remove: Edit = () => undefined;

/** Rules may change only fields of the draft. A removed field becomes null. */
function attribute(record: JsonObject, path: Json | undefined, edit: Edit): JsonObject {
  const parts = partsOf(path);
  const [root = ''] = parts;
  if (!Object.hasOwn(record, root) || root === 'uuid' || root === 'address') {
    throw new RuleFailure(`the attribute "${root}" can not be changed by a rule`);
  }
  const after = edited(record, parts, edit);
  return Object.hasOwn(after, root) ? after : { ...after, [root]: null };
}

const onNode =
  (edit: (args: JsonObject) => Edit): Change =>
  (draft, args) => ({ ...draft, node: attribute(draft.node, args['path'], edit(args)) });

const onPluginData =
  (edit: (args: JsonObject) => Edit): Change =>
  (draft, args) => ({ ...draft, pluginData: edited(draft.pluginData, partsOf(args['path']), edit(args)) });

/** A port by its uuid or its MAC address. */
const onPort =
  (edit: (args: JsonObject) => Edit): Change =>
  (draft, args) => {
    const id = textOf(args['port_id'] ?? '').toLowerCase();
    const at = draft.ports.findIndex((port) => port['uuid'] === id || port['address'] === id);
    const port = draft.ports[at];
    if (port === undefined) throw new RuleFailure(`the node has no port ${id}`);
    return { ...draft, ports: draft.ports.with(at, attribute(port, args['path'], edit(args))) };
  };

/** `boot_mode:uefi,disk_label:gpt` of `properties`. */
const onCapabilities =
  (edit: (capabilities: Map<string, string>, args: JsonObject) => void): Change =>
  (draft, args) => {
    const { properties = null } = draft.node;
    const { capabilities = '' } = isJsonObject(properties) ? properties : {};
    const pairs = textOf(capabilities ?? '')
      .split(',')
      .filter((pair) => pair.includes(':'))
      .map((pair): [string, string] => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]);
    const map = new Map(pairs);
    edit(map, args);
    const text = [...map].map((pair) => pair.join(':')).join(',');
    return { ...draft, node: edited(draft.node, ['properties', 'capabilities'], () => text) };
  };

const CHANGES: Readonly<Record<Exclude<ActionOp, 'fail' | 'log' | 'api-call'>, Change>> = {
  'set-attribute': onNode(set),
  'extend-attribute': onNode(extend),
  'del-attribute': onNode(() => remove),
  'set-plugin-data': onPluginData(set),
  'extend-plugin-data': onPluginData(extend),
  'unset-plugin-data': onPluginData(() => remove),
  'set-port-attribute': onPort(set),
  'extend-port-attribute': onPort(extend),
  'del-port-attribute': onPort(() => remove),
  'set-capability': onCapabilities((map, { name, value = null }) => map.set(String(name), textOf(value))),
  'unset-capability': onCapabilities((map, { name }) => map.delete(String(name))),
  'add-trait': (draft, { name }) => ({
    ...draft,
    traits: draft.traits.includes(String(name)) ? draft.traits : [...draft.traits, String(name)],
  }),
  'remove-trait': (draft, { name }) => ({
    ...draft,
    traits: draft.traits.filter((trait) => trait !== String(name)),
  }),
};
