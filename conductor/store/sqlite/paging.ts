/**
 * Keyset paging: a page starts after the key of its marker, not at an offset. Rows with equal keys are ordered by id.
 * NULL is the smallest value.
 */
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { IngotError } from '../../domain/errors.ts';
import type { Rows } from '../../domain/store/page.ts';
import type { Stored } from './row-codec.ts';

/** The last row of the previous page: its id and its sort key. */
export interface Marker {
  readonly id: number;
  readonly value: Stored;
}

export function sortColumn(
  codec: { sortColumn(field: string): string | undefined },
  page: Pick<Rows, 'sortKey'>,
): string {
  const column = codec.sortColumn(page.sortKey);
  if (column === undefined) {
    throw new IngotError('invalidParameter', `Sorting by ${page.sortKey} is not possible.`);
  }
  return column;
}

export function after(
  table: string,
  column: string,
  sortDir: Rows['sortDir'],
  marker: Marker,
): RawBuilder<SqlBool> {
  const key = sql.ref(`${table}.${column}`);
  const id = sql.ref(`${table}.id`);
  if (sortDir === 'asc') {
    return marker.value === null
      ? sql`(${key} is not null or ${id} > ${marker.id})`
      : sql`(${key} > ${marker.value} or (${key} = ${marker.value} and ${id} > ${marker.id}))`;
  }
  return marker.value === null
    ? sql`(${key} is null and ${id} < ${marker.id})`
    : sql`(${key} is null or ${key} < ${marker.value} or (${key} = ${marker.value} and ${id} < ${marker.id}))`;
}

/** Adds the order, the limit and the start of the page to a select over `table`. */
export function paged<
  Q extends {
    where(condition: Expression<SqlBool>): Q;
    orderBy(expression: Expression<unknown>): Q;
    limit(limit: number): Q;
  },
>(query: Q, table: string, column: string, page: Rows, marker: Marker | undefined): Q {
  const from = marker === undefined ? query : query.where(after(table, column, page.sortDir, marker));
  const direction = page.sortDir === 'asc' ? sql`asc nulls first` : sql`desc nulls last`;
  const id = sql`${sql.ref(`${table}.id`)} ${sql.raw(page.sortDir === 'asc' ? 'asc' : 'desc')}`;
  const key = sql`${sql.ref(`${table}.${column}`)} ${direction}`;
  const ordered = column === 'id' ? from.orderBy(id) : from.orderBy(key).orderBy(id);
  return page.limit === null ? ordered : ordered.limit(page.limit);
}
