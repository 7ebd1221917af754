import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { maskSecrets } from '../secrets.ts';
import { loadPatterns } from '../text-pattern.ts';
import { applyRules, type Draft } from './actions.ts';
import { holds } from './conditions.ts';
import { badEntry, type InspectionRule } from './rule.ts';
import { RuleFailure } from './rule-failure.ts';
import { fill, fillText } from './template.ts';

const parsePattern = await loadPatterns();

const inventory: JsonObject = {
  bmc_address: '192.0.2.7',
  bmc_password: 'hunter2',
  cpu: { count: 8, architecture: 'x86_64', flags: [] },
  disks: [{ name: '/dev/sda', size: 4000 }, { name: '/dev/sdb' }],
  boot: { pxe_interface: null, secure: true },
};
const values = { node: { name: 'n1', extra: {} }, inventory, plugin_data: { a: { b: 'c' } } };

it.each<[string, string | undefined]>([
  ['{node.name}-{inventory[cpu][count]}', 'n1-8'],
  ['{inventory[disks][1][name]} {{x}}', '/dev/sdb {x}'],
  ['{plugin_data.a.b} {inventory[boot][secure]} {inventory[boot][pxe_interface]}', 'c True None'],
  ['{inventory[cpu]}', '{"count":8,"architecture":"x86_64","flags":[]}'],
  ['{inventory[gpu][count]}', undefined],
  ['{inventory[disks][9]}', undefined],
  ['{inventory.__proto__}{constructor}', undefined],
  ['{item}', undefined],
  ['{inventory[cpu', '{inventory[cpu'],
])('%s is %s', (text, filled) => {
  expect(fillText(text, values)).toBe(filled);
});

it('fills texts in objects and lists, and leaves fields that do not exist', () => {
  const json: Json = { '{node.name}': ['{item[x]}', 1, '{nothing}'] };
  expect(fill(json, { ...values, item: { x: 'y' } })).toEqual({ n1: ['y', 1, '{nothing}'] });
  expect(fill('{nothing}', values, null)).toBeNull();
});

const met = (op: string, args: Json, more: JsonObject = {}) =>
  holds({ conditions: [{ op, args, ...more }] }, values, parsePattern);

it.each<[boolean, string, Json, JsonObject?]>([
  [true, 'eq', { values: ['{inventory[cpu][count]}', 8] }],
  [false, '!eq', { values: ['{inventory[cpu][count]}', 8, '8.0'] }],
  [true, 'eq', [['x86_64', '{inventory[cpu][architecture]}']]],
  [false, 'eq', { values: ['{inventory[cpu][count]}', '8.0'], force_strings: true }],
  [true, 'lt', { values: [4, '{inventory[cpu][count]}', 16] }],
  [false, 'gt', { values: [9, '10'] }],
  [true, 'is-empty', { value: '{inventory[gpu]}' }],
  [true, 'is-empty', { value: '{inventory[cpu][flags]}' }],
  [true, 'is-none', { value: '{inventory[boot][pxe_interface]}' }],
  [true, '! is-none', { value: '{inventory[cpu][count]}' }],
  [true, 'is-true', { value: '{inventory[boot][secure]}' }],
  [false, 'is-false', { value: '{inventory[boot][secure]}' }],
  [true, 'in-net', { address: '{inventory[bmc_address]}', subnet: '192.0.2.0/24' }],
  [false, 'in-net', { address: '{inventory[bmc_address]}', subnet: '2001:db8::/32' }],
  [true, 'in-net', { address: '2001:db8::1', subnet: '2001:db8::/32' }],
  [false, 'in-net', { address: 'x', subnet: '192.0.2.0/99' }],
  [true, 'matches', { value: '{inventory[cpu][architecture]}', regex: 'x86.64|arm' }],
  [false, 'matches', { value: '{inventory[cpu][architecture]}', regex: '86' }],
  [true, 'contains', { value: '{inventory[cpu][architecture]}', regex: '86' }],
  [true, 'one-of', { value: '{inventory[cpu][count]}', values: [4, 8] }],
  [true, 'contains', { value: '{item}', regex: 'b' }, { loop: ['a', 'b'] }],
  [false, 'contains', { value: '{item}', regex: 'b' }, { loop: ['a', 'b'], multiple: 'all' }],
  [true, 'contains', { value: '{item}', regex: 'b' }, { loop: ['a', 'b'], multiple: 'last' }],
  [true, 'eq', { values: ['{item[k]}', 'v'] }, { loop: { k: 'v' } }],
])('%s: %s %j %j', (expected, op, args, more) => {
  expect(met(op, args, more)).toBe(expected);
});

it('a hostile regular expression takes linear time', () => {
  const begun = performance.now();
  expect(met('matches', { value: `${'a'.repeat(4_000)}!`, regex: '(a+)+' })).toBe(false);
  expect(met('contains', { value: `${'a'.repeat(4_000)}!`, regex: '^(a|a)*$' })).toBe(false);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

it('a regular expression that a field completes is checked when the rule runs', () => {
  const looped = { op: 'contains', args: { value: 'abc', regex: '{item}' }, loop: ['b'] };
  expect(badEntry('conditions', looped, 0, parsePattern)).toBeUndefined();
  expect(met('contains', looped.args, { loop: ['b'] })).toBe(true);
  expect(() => met('contains', looped.args, { loop: ['(?=b)'] })).toThrow(RuleFailure);
});

it.each<[string, 'conditions' | 'actions', unknown]>([
  ['[3] must be an object', 'actions', 7],
  ['"!equal" is none of eq', 'conditions', { op: '!equal', args: {} }],
  ['"constructor" is none of', 'conditions', { op: 'constructor', args: {} }],
  ['needs "args"', 'actions', { op: 'fail' }],
  ['lacks the argument msg', 'actions', { op: 'fail', args: {} }],
  ['takes no argument proxies', 'actions', { op: 'api-call', args: { url: 'x', proxies: {} } }],
  ['takes at most 1 arguments', 'actions', { op: 'fail', args: ['a', 'b'] }],
  ['unknown key "when"', 'actions', { op: 'fail', args: ['a'], when: 1 }],
  ['"regex" is not', 'conditions', { op: 'matches', args: { value: 'a', regex: '(' } }],
  ['no look-ahead', 'conditions', { op: 'contains', args: { value: 'a', regex: 'a(?=b)' } }],
  ['no back-references', 'conditions', { op: 'contains', args: { value: 'a', regex: '(a)\\1' } }],
  ['loop must be', 'actions', { op: 'fail', args: ['a'], loop: 'x' }],
  ['multiple must be one of', 'conditions', { op: 'eq', args: [[1]], multiple: 'some' }],
  ['"path" must be a text', 'actions', { op: 'del-attribute', args: { path: 1 } }],
])('rejects a rule: %s', (text, kind, entry) => {
  expect(badEntry(kind, entry, 3, parsePattern)).toContain(text);
});

describe('actions', () => {
  const draft: Draft = {
    node: {
      uuid: 'u',
      name: 'n1',
      extra: {},
      properties: { capabilities: 'a:b', list: [1] },
      driver_info: {},
    },
    traits: ['CUSTOM_A'],
    ports: [{ uuid: 'p1', address: '52:54:00:00:00:01', extra: {}, pxe_enabled: true }],
    pluginData: { x: 1 },
  };
  const rule = (actions: readonly JsonObject[], more: Partial<InspectionRule> = {}) =>
    ({
      uuid: 'r',
      description: 'mine',
      priority: 0,
      sensitive: false,
      conditions: [],
      actions,
      ...more,
    }) as unknown as InspectionRule;
  const run = (...rules: InspectionRule[]) =>
    applyRules(rules, draft, { inventory, mask: maskSecrets, parsePattern });
  const one = (op: string, args: JsonObject, more: JsonObject = {}) => run(rule([{ op, args, ...more }]));

  it.each<[string, JsonObject, object, JsonObject?]>([
    [
      'set-attribute',
      { path: 'extra/a/b', value: '{inventory[cpu][count]}' },
      { node: { extra: { a: { b: '8' } } } },
    ],
    ['set-attribute', { path: 'name', value: 'n2' }, { node: { name: 'n2' } }],
    ['extend-attribute', { path: 'properties.list', value: 1 }, { node: { properties: { list: [1, 1] } } }],
    [
      'extend-attribute',
      { path: 'properties.list', value: 1, unique: true },
      { node: { properties: { list: [1] } } },
    ],
    ['del-attribute', { path: 'properties/list' }, { node: { properties: { capabilities: 'a:b' } } }],
    ['del-attribute', { path: 'name' }, { node: { name: null } }],
    ['set-capability', { name: 'c', value: 'd' }, { node: { properties: { capabilities: 'a:b,c:d' } } }],
    ['unset-capability', { name: 'a' }, { node: { properties: { capabilities: '' } } }],
    ['add-trait', { name: 'CUSTOM_B' }, { traits: ['CUSTOM_A', 'CUSTOM_B'] }],
    ['remove-trait', { name: 'CUSTOM_A' }, { traits: [] }],
    ['set-plugin-data', { path: 'y.z', value: 2 }, { pluginData: { x: 1, y: { z: 2 } } }],
    ['extend-plugin-data', { path: 'l', value: 2 }, { pluginData: { l: [2] } }],
    ['unset-plugin-data', { path: 'x' }, { pluginData: {} }],
    [
      'set-port-attribute',
      { port_id: 'p1', path: 'pxe_enabled', value: false },
      { ports: [{ pxe_enabled: false }] },
    ],
    [
      'extend-port-attribute',
      { port_id: '52:54:00:00:00:01', path: 'extra.l', value: 1 },
      { ports: [{ extra: { l: [1] } }] },
    ],
    [
      'set-attribute',
      { path: 'extra/{item}', value: '{item}' },
      { node: { extra: { a: 'a', b: 'b' } } },
      { loop: ['a', 'b'] },
    ],
  ])('%s %j', (op, args, expected, more) => {
    const { draft: after, failure } = one(op, args, more);
    expect(failure).toBeUndefined();
    expect(after).toMatchObject(expected);
  });

  it.each<[string, JsonObject, string]>([
    ['fail', { msg: 'too small' }, 'inspection rule "mine": too small'],
    ['set-attribute', { path: 'provision_state', value: 'active' }, 'can not be changed by a rule'],
    ['set-attribute', { path: 'uuid', value: 'x' }, 'can not be changed by a rule'],
    ['set-attribute', { path: 'extra/__proto__/x', value: 'x' }, 'leads nowhere'],
    ['set-attribute', { path: 'name/x', value: 'x' }, 'holds no object'],
    ['extend-attribute', { path: 'name', value: 'x' }, 'only a list'],
    ['set-port-attribute', { port_id: 'p9', path: 'extra/a', value: 1 }, 'no port p9'],
  ])('%s %j fails', (op, args, text) => {
    expect(one(op, args).failure).toContain(text);
  });

  it('run by priority, see earlier changes, and stop at a failure', () => {
    const first = rule([{ op: 'set-attribute', args: { path: 'extra/a', value: '1' } }], { priority: 9 });
    const second = rule([
      { op: 'log', args: { msg: 'a is {node.extra[a]}', level: 'warning' } },
      { op: 'api-call', args: { url: 'http://h/{node.name}', retries: 99, timeout: 1 } },
    ]);
    const last = rule([{ op: 'fail', args: { msg: 'no' } }], { priority: 1 });
    const unmet = rule([{ op: 'fail', args: { msg: 'never' } }], {
      priority: 99,
      conditions: [{ op: 'eq', args: { values: [1, 2] } }],
    });
    expect(run(second, first, unmet).effects).toEqual([
      { kind: 'log', level: 'warning', message: 'a is 1' },
      { kind: 'call', url: 'http://h/n1', headers: {}, timeoutMs: 1_000, retries: 10, backoffMs: 300 },
    ]);
    const { draft: after, effects, failure } = run(second, last, first);
    expect([after.node['extra'], effects, failure]).toEqual([{ a: '1' }, [], 'inspection rule "mine": no']);
  });

  it('see secrets only when they are sensitive', () => {
    const copy = [
      { op: 'set-attribute', args: { path: 'driver_info/p', value: '{inventory[bmc_password]}' } },
    ];
    expect(run(rule(copy)).draft.node['driver_info']).toEqual({ p: '******' });
    expect(run(rule(copy, { sensitive: true })).draft.node['driver_info']).toEqual({ p: 'hunter2' });
  });
});
