/**
 * Pages of lists that the store reads. Parses limit, marker, sort_key and sort_dir, with Ironic's error texts, and
 * makes the `next` link of every full page.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { Page } from '../../domain/store/page.ts';
import { pageSize, readSort, type SortRules } from './list-arguments.ts';
import { requireVersion } from './microversion.ts';
import { nextPageUrl } from './next-page.ts';

export const PAGE_ARGUMENTS = {
  limit: { kind: 'integer' },
  marker: { kind: 'uuid' },
  sort_key: { kind: 'text' },
  sort_dir: { kind: 'text' },
} as const;

export interface PageQuery {
  readonly limit?: number;
  readonly marker?: string;
  readonly sort_key?: string;
  readonly sort_dir?: string;
}

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function pageLimit(limit: number | undefined, maxLimit: number): number {
  if (limit !== undefined && limit <= 0) throw invalid('Limit must be positive');
  return pageSize(limit, maxLimit);
}

export function parsePage(
  request: FastifyRequest,
  query: PageQuery,
  fields: readonly WireField[],
  maxLimit: number,
): Page {
  const { sort_key: key = 'id', sort_dir: direction = 'asc' } = query;
  const field = fields.find(({ wire }) => wire === key);
  if (field !== undefined) requireVersion(request, field.since, `The sort_key "${key}"`);
  const [sort] = readSort([key], [direction], {
    ...SORT_RULES,
    isKey: () => key === 'id' || field?.sort === true,
  });
  return {
    limit: pageLimit(query.limit, maxLimit),
    sortKey: camelCase(key),
    sortDir: sort!.direction,
    ...(query.marker === undefined ? {} : { marker: query.marker }),
  };
}

const SORT_RULES = {
  direction: 'asc',
  refused: {
    keys: ([key]) => invalid(`The sort_key value "${key}" is an invalid field for sorting`),
    direction: (word) => invalid(`Invalid sort direction: ${word}. Acceptable values are 'asc' or 'desc'`),
  },
} as const satisfies Omit<SortRules, 'isKey'>;

/** The URL of the next page, with the filters of the request. */
export function nextUrl(
  request: FastifyRequest,
  listUrl: string,
  { limit }: { readonly limit: number },
  items: readonly { readonly uuid?: unknown }[],
): string | undefined {
  const last = items.at(-1);
  const page = { limit, count: items.length, last: last && String(last.uuid) };
  return nextPageUrl(listUrl, request.query, page, { limit: String(limit) });
}
