import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { pageLimit, pageOf } from './page.ts';

const LETTERS = { key: 'letters', path: 'letters', idOf: (letter: string) => letter };
const request = (query: object): FastifyRequest =>
  ({
    ...{ originalUrl: '/compute/v2.1/letters', protocol: 'http', host: 'h' },
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  }) as never;
const paged = (query: { limit?: number; marker?: string }, maxLimit = 9) =>
  pageOf(request(query), { publicEndpoint: null, maxLimit }, LETTERS, query, ['a', 'b', 'c', 'd']);
const page = (...asked: Parameters<typeof paged>) => paged(...asked).page.join('');

it('a page begins after its marker, and is limited by the request and by the settings', () => {
  expect([page({}), page({}, 3), page({ limit: 2 }), page({ limit: 5 }, 3), page({ limit: 0 })]).toEqual([
    ...['abcd', 'abc', 'ab', 'abc', ''],
  ]);
  expect([page({ marker: 'b' }), page({ marker: 'b', limit: 1 }), page({ marker: 'd' })]).toEqual([
    ...['cd', 'c', ''],
  ]);
  expect([pageLimit({}, 5), pageLimit({ limit: 2 }, 5), pageLimit({ limit: 9 }, 5)]).toEqual([5, 2, 5]);
});

it('a full page links to the next one', () => {
  const href = 'http://h/compute/v2.1/letters?limit=2&marker=c';
  expect(paged({ limit: 2, marker: 'a' }).links).toEqual({ letters_links: [{ rel: 'next', href }] });
  expect(paged({ limit: 2, marker: 'c' }).links).toEqual({});
});

it('an unknown marker is rejected, and shortened in the error', () => {
  expect(() => page({ marker: 'x' })).toThrow('marker [x] not found');
  expect(() => page({ marker: 'x'.repeat(999) })).toThrow(/^marker \[x{255}\] not found$/);
});
