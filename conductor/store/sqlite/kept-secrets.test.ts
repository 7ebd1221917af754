import { expect, it } from 'vitest';
import { createKeptSecrets } from './kept-secrets.ts';
import type { SecretValues } from './seal.ts';

const values = (value: string | { a: number }): SecretValues => new Map([['/a', value]]);

it('are those of the row, while its encrypted text is the same', () => {
  const kept = createKeptSecrets();
  const one = values('one');
  kept.put('node:1', 'enc-1', one);
  kept.put('node:2', 'enc-2', values('two'));
  expect(kept.get('node:1', 'enc-1')).toBe(one);
  expect(kept.get('node:1', 'enc-2')).toBeUndefined();
  expect(kept.get('node:3', 'enc-1')).toBeUndefined();
  kept.put('node:1', 'enc-3', values('new'));
  expect(kept.get('node:1', 'enc-1')).toBeUndefined();
  expect(kept.get('node:1', 'enc-3')).toEqual(values('new'));
});

it('are not kept if they are large or objects', () => {
  const kept = createKeptSecrets();
  const large = 'x'.repeat(5_000);
  kept.put('node:1', large, values('one'));
  kept.put('node:2', 'enc-2', values({ a: 1 }));
  expect([kept.get('node:1', large), kept.get('node:2', 'enc-2')]).toEqual([undefined, undefined]);
});

it('are a limited number, the oldest go first', () => {
  const kept = createKeptSecrets();
  const text = 'x'.repeat(4_000);
  for (let row = 0; row < 4_000; row += 1) kept.put(`node:${row}`, text, values('v'));
  expect(kept.get('node:0', text)).toBeUndefined();
  expect(kept.get('node:1100', text)).toBeDefined();
  for (let row = 0; row < 26_000; row += 1) kept.put(`node:${row}`, 'short', values('v'));
  expect(kept.get('node:900', 'short')).toBeUndefined();
  expect(kept.get('node:25999', 'short')).toBeDefined();
});
