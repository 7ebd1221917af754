/**
 * Pages of the lists that are read whole and cut here: those of the catalog, of which there are few.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import { pageSize } from '../kit/list-arguments.ts';
import { pageOfList } from '../kit/list-page.ts';
import { integer, text } from '../kit/readers.ts';

/** Arguments of a list with pages. */
export const PAGE = { limit: integer(), marker: text() };

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly marker?: string | undefined;
}

export const pageLimit = ({ limit }: PageQuery, maxLimit: number): number => pageSize(limit, maxLimit);

export const unknownMarker = (marker: string): IngotError =>
  new IngotError('invalidParameter', `marker [${marker.slice(0, 255)}] not found`);

/** What follows the marker. Throws invalidParameter when nothing has its id. */
export function pageOf<T>(
  items: readonly T[],
  query: PageQuery,
  maxLimit: number,
  idOf: (item: T) => string,
): readonly T[] {
  const { marker } = query;
  const limit = pageLimit(query, maxLimit);
  if (marker === undefined) return pageOfList(items, { limit }).items;
  return pageOfList(items, { limit, marker: { id: marker, idOf, missing: () => unknownMarker(marker) } })
    .items;
}

/** The record with this uuid: not one that has it for a name. */
export async function byUuid<T extends Recorded>(
  store: RecordStore<T>,
  uuid: string,
): Promise<T | undefined> {
  const [found] = await store.list({ uuid } as Partial<T>, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  return found;
}
