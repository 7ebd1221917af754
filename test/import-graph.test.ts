import { expect, it } from 'vitest';
import { findCircles, packageImports, projectImports } from './import-graph.ts';

it('finds circles of any length, each once', () => {
  const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['a', 'elsewhere'] };
  expect(findCircles(new Map(Object.entries(edges)))).toEqual([
    ['d', 'e'],
    ['a', 'b', 'c'],
  ]);
  expect(
    findCircles(
      new Map([
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', []],
      ]),
    ),
  ).toEqual([]);
});

it('reads imports of values, of types and at run time', () => {
  const text = `import type { A } from './a.ts';
import { b } from '@ingot/shared/b.ts';
import {
  c,
} from '../c.ts';
export { d } from './d.ts';
const e = await import('./e.ts');
import fastify from 'fastify';`;
  const source = { path: 'conductor/room/x.ts', text };
  expect(projectImports(source, '/root')).toEqual([
    'conductor/room/a.ts',
    'shared/b.ts',
    'conductor/c.ts',
    'conductor/room/d.ts',
    'conductor/room/e.ts',
  ]);
  expect(packageImports(source)).toEqual(['fastify']);
});
