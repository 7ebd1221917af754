/**
 * Read access to the records of a collection: finds a record by its identifier, shows a record or a page of records.
 */
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Recorded } from '../../domain/resources.ts';
import { baseUrlOf } from './base-url.ts';
import type { Collection, CollectionHost } from './collection.ts';
import { shownFields } from './field-selection.ts';
import { nextUrl, type PageQuery, parsePage } from './paging.ts';
import { createPresenter, type Getter, plainGetter, type WireObject } from './presentation.ts';
import type { Arguments } from './query.ts';

/** Filter arguments that any list may have although its records have no such field. */
export interface ScopeQuery {
  readonly shard?: readonly string[];
  readonly conductor_groups?: readonly string[];
  readonly description_contains?: string;
}

export interface CollectionView<T extends Recorded> {
  /** Throws invalidParameter; notFound for a missing record and for a record that the caller may not see. */
  find(request: FastifyRequest, ident: string): Promise<T>;
  /** `names` null: every field of the microversion, and links to the sub-resources. */
  present(request: FastifyRequest, record: T, names: readonly string[] | null): WireObject;
  /** One page of a list; `next` has the path of the request. */
  page(
    request: FastifyRequest,
    query: PageQuery & ScopeQuery,
    filter: Partial<T>,
    names: readonly string[] | null,
  ): Promise<WireObject>;
}

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);
export const capital = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

export function createCollectionView<T extends Recorded, A extends Arguments>(
  host: CollectionHost,
  collection: Collection<T, A>,
): CollectionView<T> {
  const { path, key, singular, fields, store } = collection;

  async function seen(request: FastifyRequest, ident: string): Promise<T> {
    const record = await store.find(ident);
    if (record !== undefined && (await host.sees(request, record))) return record;
    throw notFound(capital(singular), ident);
  }

  function getterOf(request: FastifyRequest, field: WireField): Getter<T> {
    const redacted = field.seenBy === undefined ? undefined : host.redacted(request, field.seenBy);
    if (redacted !== undefined) return () => redacted;
    return (
      collection.formAt?.[field.wire]?.(request.minor) ??
      collection.getters?.[field.wire] ??
      plainGetter<T>(field)
    );
  }

  function presenterOf(request: FastifyRequest, names: readonly string[] | null) {
    const links = Object.entries(collection.subResources ?? {}).filter(
      ([, minor]) => names === null && request.minor >= minor,
    );
    return createPresenter<T>(
      shownFields(fields, request.minor, names),
      (field) => getterOf(request, field),
      baseUrlOf(request, host.publicEndpoint),
      path,
      links.map(([name]) => name),
    );
  }

  return {
    find(request, ident) {
      const named = collection.namesSince !== undefined && request.minor >= collection.namesSince;
      if (isUuid(ident)) return seen(request, ident.toLowerCase());
      if (!named) throw invalid(`Expected a UUID but received ${ident}.`);
      if (!isLogicalName(ident)) throw invalid(`Expected a logical name or UUID but received ${ident}.`);
      return seen(request, ident);
    },

    present: (request, record, names) => presenterOf(request, names).present(record),

    async page(request, query, filter, names) {
      const asked = parsePage(request, query, fields, host.maxLimit);
      if (asked.marker !== undefined) await seen(request, asked.marker);
      const rows = await store.list(filter, asked, {
        project: host.listedProject(request),
        shards: query.shard,
        conductorGroups: query.conductor_groups?.map((group) => group.toLowerCase()),
        descriptionContains: query.description_contains,
      });
      const { present } = presenterOf(request, names);
      const items = rows.map((row) => present(row));
      const listPath = request.url.split('?', 1)[0]?.replace(/\/+$/, '');
      const next = nextUrl(request, `${baseUrlOf(request, host.publicEndpoint)}${listPath}`, asked, rows);
      return next === undefined ? { [key]: items } : { [key]: items, next };
    },
  };
}
