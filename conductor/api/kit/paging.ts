/**
 * Pages of a list: limit, marker, sort_key, sort_dir in; `next` out, exactly when the page is full.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { Page } from '../../domain/store/page.ts';
import { requireVersion } from './microversion.ts';

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

export function pageLimit(limit: number | undefined, maxLimit: number): number {
  if (limit === undefined) return maxLimit;
  if (limit <= 0) throw new IngotError('invalidParameter', 'Limit must be positive');
  return Math.min(limit, maxLimit);
}

export function parsePage(
  request: FastifyRequest,
  query: PageQuery,
  fields: readonly WireField[],
  maxLimit: number,
): Page {
  const sortDir = query.sort_dir ?? 'asc';
  if (sortDir !== 'asc' && sortDir !== 'desc') {
    throw new IngotError(
      'invalidParameter',
      `Invalid sort direction: ${sortDir}. Acceptable values are 'asc' or 'desc'`,
    );
  }
  return {
    limit: pageLimit(query.limit, maxLimit),
    sortKey: sortColumn(request, query.sort_key ?? 'id', fields),
    sortDir,
    ...(query.marker === undefined ? {} : { marker: query.marker }),
  };
}

function sortColumn(request: FastifyRequest, key: string, fields: readonly WireField[]): string {
  if (key === 'id') return 'id';
  const field = fields.find(({ wire }) => wire === key);
  if (field !== undefined) requireVersion(request, field.since, `The sort_key "${key}"`);
  if (field?.sort !== true) {
    throw new IngotError('invalidParameter', `The sort_key value "${key}" is an invalid field for sorting`);
  }
  return camelCase(key);
}

/** The URL of the page after this one, with the filters of the request passed on. */
export function nextUrl(
  request: FastifyRequest,
  listUrl: string,
  page: { readonly limit: number },
  items: readonly { readonly uuid?: unknown }[],
): string | undefined {
  if (items.length === 0 || items.length !== page.limit) return undefined;
  const query = new URLSearchParams(request.query as Record<string, string>);
  query.set('limit', String(page.limit));
  query.set('marker', String(items.at(-1)?.uuid));
  return `${listUrl}?${query}`;
}
