/**
 * Pages of short lists, such as those of the catalog, which are read completely and cut here.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import { pageSize } from '../kit/list-arguments.ts';
import { pageOfList } from '../kit/list-page.ts';
import { integer, text } from '../kit/readers.ts';
import { nextLinks } from './links.ts';

/** Arguments of lists with pages. */
export const PAGE = { limit: integer(), marker: text() };

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly marker?: string | undefined;
}

export const pageLimit = ({ limit }: PageQuery, maxLimit: number): number => pageSize(limit, maxLimit);

export const unknownMarker = (marker: string): IngotError =>
  new IngotError('invalidParameter', `marker [${marker.slice(0, 255)}] not found`);

/** Names of a list for its answers and links. */
export interface PagedList<T> {
  /** `flavors` gives `flavors_links`. */
  readonly key: string;
  /** The path after the version: `flavors/detail`. */
  readonly path: string;
  /** The id that markers refer to. */
  idOf(item: T): string;
}

export interface PageOfList<T> {
  readonly page: readonly T[];
  /** `{flavors_links: [...]}` if the page is full, to add to the answer. */
  readonly links: ReturnType<typeof nextLinks>;
}

/** The items after the marker. Throws invalidParameter when no item has its id. */
export function pageOf<T>(
  request: FastifyRequest,
  { publicEndpoint, maxLimit }: { readonly publicEndpoint: string | null; readonly maxLimit: number },
  { idOf, ...list }: PagedList<T>,
  query: PageQuery,
  items: readonly T[],
): PageOfList<T> {
  const { marker: id } = query;
  const limit = pageLimit(query, maxLimit);
  const marker = id === undefined ? undefined : { id, idOf, missing: () => unknownMarker(id) };
  const page = pageOfList(items, { limit, marker }).items;
  return { page, links: nextLinks(request, publicEndpoint, list, limit, page.map(idOf)) };
}

/** The record with this uuid; records with this name do not match. */
export async function byUuid<T extends Recorded>(
  store: RecordStore<T>,
  uuid: string,
): Promise<T | undefined> {
  const [found] = await store.list({ uuid } as Partial<T>, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  return found;
}
