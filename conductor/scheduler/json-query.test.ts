import { describe, expect, it } from 'vitest';
import { holds, parseQuery } from './json-query.ts';

const ATTRIBUTES: Readonly<Record<string, string | number>> = {
  ram: 1_024,
  'stats.gpus': '4',
  host: 'c1',
  empty: '',
};
const attribute = (path: readonly string[]) => ATTRIBUTES[path.join('.')];

describe('JSON query', () => {
  it.each<[unknown, boolean]>([
    [['=', '$host', 'c1'], true],
    [['=', '$host', 'c2'], false],
    [['=', 1, 1, 1], true],
    [['=', 1, 1, 2], false],
    [['<', '$ram', 1_025], true],
    [['<', '$ram', 1_024], false],
    [['>', '$ram', 1_023], true],
    [['>', '$ram', 1_024], false],
    [['<=', '$ram', 1_024], true],
    [['>=', '$ram', 1_024, 512], true],
    [['>=', '$stats.gpus', 4], true],
    [['>', '$stats.gpus', 10], false],
    [['<', '$host', 3], false],
    [['=', '$empty', 0], false],
    [['=', true, 1], false],
    [['in', '$host', 'c0', 'c1'], true],
    [['in', '$host', 'c0'], false],
    [['in', '$host'], false],
    [['=', '$missing', 1], false],
    [['not', ['=', '$host', 'c1']], false],
    [['not', ['=', '$host', 'c2']], true],
    [['and', ['=', 1, 1], ['=', 2, 2]], true],
    [['and', ['=', 1, 1], ['=', 2, 3]], false],
    [['and', ['not', ['=', 1, 1]]], false],
    [['or', ['=', 1, 2], ['=', 2, 2]], true],
    [['or', ['=', 1, 2]], false],
    [['or'], false],
  ])('%j is %s', (json, expected) => {
    const query = parseQuery(JSON.stringify(json));
    expect(query.ok && query.value !== undefined && holds(query.value, attribute)).toBe(expected);
    expect(query.ok).toBe(true);
  });

  it.each<[string, RegExp]>([
    ['[', /^not JSON$/],
    ['{}', /must be a list/],
    ['["like", 1]', /unknown operator "like"; known are = </],
    ['["constructor", 1, 2]', /unknown operator/],
    ['["=", null]', /null can not be compared/],
    [`${'["not",'.repeat(40)}["="]${']'.repeat(40)}`, /nested deeper than 16/],
  ])('refuses %s', (text, reason) => {
    expect(parseQuery(text)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});
