import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { itemLinks, nextLinks } from './links.ts';

const request = (originalUrl: string, query = {}): FastifyRequest =>
  ({ originalUrl, query, protocol: 'http', host: 'cloud:8774' }) as never;

it('links have the version and the project of the request; bookmarks have no version', () => {
  expect(itemLinks(request('/compute/v2/red/flavors'), null, 'flavors/1')).toEqual([
    { rel: 'self', href: 'http://cloud:8774/compute/v2/red/flavors/1' },
    { rel: 'bookmark', href: 'http://cloud:8774/compute/red/flavors/1' },
  ]);
  expect(itemLinks(request('/compute/v2.1/flavors'), 'https://public', 'flavors/1')[0]?.href).toBe(
    'https://public/compute/v2.1/flavors/1',
  );
});

it('a full page links to the next one', () => {
  const asked = request('/compute/v2.1/red/flavors/detail?limit=2', { limit: '2', marker: 'a' });
  const list = { key: 'flavors', path: 'flavors/detail' };
  const href = 'http://cloud:8774/compute/v2.1/red/flavors/detail?limit=2&marker=c';
  expect(nextLinks(asked, null, list, 2, ['b', 'c'])).toEqual({ flavors_links: [{ rel: 'next', href }] });
  expect(nextLinks(asked, null, list, 2, ['b'])).toEqual({});
  expect(nextLinks(asked, null, list, 0, [])).toEqual({});
});
