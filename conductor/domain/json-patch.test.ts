import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { Json, JsonObject } from './json.ts';
import { applyPatch, parsePatch, restoreMasked } from './json-patch.ts';

const NODE: JsonObject = { name: 'n1', extra: { a: 1, list: ['x', 'y'] }, driver_info: {} };

function patched(document: JsonObject, operations: unknown): JsonObject | string {
  const parsed = parsePatch(operations);
  if (!parsed.ok) return parsed.reason;
  const applied = applyPatch(document, parsed.value);
  return applied.ok ? applied.value : applied.reason;
}

describe('applyPatch', () => {
  it.each<[string, unknown, Partial<JsonObject>]>([
    ['replaces a root field', [{ op: 'replace', path: '/name', value: 'n2' }], { name: 'n2' }],
    [
      'adds over an existing key',
      [{ op: 'add', path: '/extra/a', value: 2 }],
      { extra: { a: 2, list: ['x', 'y'] } },
    ],
    ['adds a new key', [{ op: 'add', path: '/driver_info/k', value: null }], { driver_info: { k: null } }],
    [
      'decodes ~1 and ~0',
      [{ op: 'add', path: '/driver_info/a~1b~0c', value: 1 }],
      { driver_info: { 'a/b~c': 1 } },
    ],
    [
      'appends to an array',
      [{ op: 'add', path: '/extra/list/-', value: 'z' }],
      { extra: { a: 1, list: ['x', 'y', 'z'] } },
    ],
    [
      'inserts into an array',
      [{ op: 'add', path: '/extra/list/0', value: 'w' }],
      { extra: { a: 1, list: ['w', 'x', 'y'] } },
    ],
    ['removes from an array', [{ op: 'remove', path: '/extra/list/0' }], { extra: { a: 1, list: ['y'] } }],
    [
      'applies in order',
      [
        { op: 'add', path: '/extra/b', value: {} },
        { op: 'add', path: '/extra/b/c', value: 1 },
        { op: 'remove', path: '/extra/a' },
      ],
      { extra: { list: ['x', 'y'], b: { c: 1 } } },
    ],
  ])('%s', (_, operations, expected) => {
    expect(patched(NODE, operations)).toEqual({ ...NODE, ...expected });
  });

  it('removes a root field', () => {
    expect(patched(NODE, [{ op: 'remove', path: '/name' }])).toEqual({
      extra: NODE['extra'],
      driver_info: {},
    });
  });

  it.each<[string, unknown, string]>([
    ['an object', { op: 'add' }, 'JSON array'],
    ['a non-object item', ['x'], 'operation 0: is not an object'],
    ['an unknown op', [{ op: 'move', path: '/name', from: '/x' }], 'unknown key "from"'],
    ['test', [{ op: 'test', path: '/name', value: 'n1' }], 'must be one of add, replace, remove'],
    ['a missing value', [{ op: 'add', path: '/name' }], 'needs a "value"'],
    ['a path that is no pointer', [{ op: 'remove', path: 'name' }], 'JSON pointer'],
    ['an invalid escape', [{ op: 'remove', path: '/extra/~2' }], 'JSON pointer'],
    ['__proto__', [{ op: 'add', path: '/extra/__proto__/x', value: 1 }], 'not allowed'],
    ['a new root', [{ op: 'add', path: '/colour', value: 1 }], 'Adding a new attribute (/colour)'],
    ['replacing a missing key', [{ op: 'replace', path: '/extra/zz', value: 1 }], 'non-existent'],
    ['removing a missing key', [{ op: 'remove', path: '/extra/zz' }], 'non-existent'],
    ['going through a missing parent', [{ op: 'add', path: '/extra/zz/y', value: 1 }], '"zz" does not exist'],
    ['a path through a string', [{ op: 'add', path: '/name/y', value: 1 }], 'neither object nor array'],
    ['an index past the end', [{ op: 'add', path: '/extra/list/3', value: 1 }], 'no item "3"'],
    ['an index that is no number', [{ op: 'remove', path: '/extra/list/-' }], 'no item "-"'],
  ])('refuses %s', (_, operations, reason) => {
    expect(patched(NODE, operations)).toContain(reason);
  });

  it('never throws and never changes its input', () => {
    const segment = fc.constantFrom(
      'extra',
      'name',
      'list',
      'a',
      '0',
      '1',
      '-',
      '__proto__',
      'constructor',
      '~1',
    );
    const operation = fc.record({
      op: fc.constantFrom('add', 'replace', 'remove', 'test'),
      path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      value: fc.jsonValue(),
    });
    const before = JSON.stringify(NODE);
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        patched(NODE, operations);
        expect(JSON.stringify(NODE)).toBe(before);
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      }),
    );
  });
});

describe('restoreMasked', () => {
  const stored: Json = { ipmi_password: 'pw', nested: [{ token: 't' }], note: 'x' };

  it('replaces masks by the stored secrets', () => {
    const sent = { ipmi_password: '******', nested: [{ token: '******' }], note: 'y' };
    expect(restoreMasked(stored, sent)).toEqual({
      ok: true,
      value: { ipmi_password: 'pw', nested: [{ token: 't' }], note: 'y' },
    });
  });

  it('leaves a new secret, and a mask where there is no secret, unchanged', () => {
    const sent = { ipmi_password: 'new', note: '******' };
    expect(restoreMasked(stored, sent)).toEqual({ ok: true, value: sent });
  });

  it('replaces a redacted URL by the stored one, if it is that one', () => {
    const before = { image_source: 'http://a:b@h/i?sig', list: { urls: ['http://h/?x'] } };
    const shown = { image_source: 'http://******@h/i?******', list: { urls: ['http://h/?******'] } };
    expect(restoreMasked(before, shown)).toEqual({ ok: true, value: before });
    for (const image_source of ['http://******@elsewhere/i?******', 'http://******@h/other?******'])
      expect(restoreMasked(before, { image_source }, 'instance_info')).toEqual({
        ok: false,
        reason: 'instance_info/image_source',
      });
    const note = 'http://h/?******';
    expect(restoreMasked(before, { note })).toEqual({ ok: true, value: { note } });
  });

  it('names a mask without a stored secret', () => {
    expect(restoreMasked({}, { a: { api_key: '******' } }, 'driver_info')).toEqual({
      ok: false,
      reason: 'driver_info/a/api_key',
    });
  });
});
