import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { parsePattern } from './text-pattern.ts';

const matches = async (pattern: string, text: string) => (await parsePattern(pattern))?.finds(text);

describe('a pattern of a user', () => {
  it.each([
    ['web', 'my-web-1', true],
    ['^web', 'my-web-1', false],
    ['^web-[0-9]+$', 'web-12', true],
    ['^web-[^0-9]$', 'web-x', true],
    ['(db|web)-\\d{2,3}', 'web-1', false],
    ['(?:db|web)-\\d{2,3}', 'db-100', true],
    ['a.c', 'abc', true],
    ['a\\.c', 'abc', false],
    ['[]x]', 'a]', true],
    ['[a-]', '-', true],
    ['', 'anything', true],
    ['x{0}y', 'y', true],
    ['^(a?){3}$', 'aa', true],
  ])('%s in %s: %s', async (pattern, text, expected) => expect(await matches(pattern, text)).toBe(expected));

  it.each([
    '(',
    ')',
    '[',
    'a**',
    'c++',
    '*a',
    'a{2,1}',
    'a{999}',
    '(a)\\1',
    '(?=a)',
    '[b-a]',
    '\\',
    'x'.repeat(256),
    '(((a{99}){99}){99})',
    '((((((x{0}){255}){255}){255}){255}){255})',
  ])('%s is none', async (pattern) => expect(await parsePattern(pattern)).toBeUndefined());

  it('takes linear time also for hostile patterns', async () => {
    await matches('loaded', '');
    const begun = performance.now();
    expect(await matches('^(a+)+$', `${'a'.repeat(254)}!`)).toBe(false);
    expect(await matches('^(a|a)*(a|aa)*$', `${'a'.repeat(254)}!`)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(200);
  });

  it('matches like JavaScript', async () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab)', '(a|)', '^', '$', '\\w');
    const part = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}'));
    const pattern = fc
      .array(part, { maxLength: 5 })
      // JavaScript with the u flag refuses to repeat ^ and $
      .map((parts) => parts.map(([a, r]) => (a === '^' || a === '$' ? a : a + r)).join(''));
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }),
        async (source, text) => {
          expect(await matches(source, text)).toBe(new RegExp(source, 'u').test(text));
        },
      ),
      { numRuns: 500 },
    );
  });
});
