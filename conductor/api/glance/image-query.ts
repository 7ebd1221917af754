/**
 * Filters, order and page of a list of images. Glance API v2.7, "List images". Pure.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { Image } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { canSee, isOwner, memberOf } from '../../image-service/image-access.ts';
import { parseIsoTime } from '../kit/iso-time.ts';
import { pageSize, readLimit, readSort, type SortRules } from '../kit/list-arguments.ts';
import { type Marker, pageOfList } from '../kit/list-page.ts';
import { type QueryValues, valuesOf } from '../kit/query-values.ts';
import type { JsonSchema } from '../kit/route-doc.ts';
import type { Sortable, SortKey } from '../kit/sorting.ts';
import { READ_ONLY, VISIBILITIES, WRITABLE } from './image-fields.ts';
import { MEMBER_STATUSES } from './member-fields.ts';

type Test = (image: Image) => boolean;

const WANTED_STATUSES: readonly string[] = [...MEMBER_STATUSES, 'all'];
/** Fields whose filter may have several values: `in:a,b`. */
const MANY_VALUED: ReadonlySet<string> = new Set(['id', 'name', 'status', 'disk_format', 'container_format']);
const PAGING: ReadonlySet<string> = new Set(['limit', 'marker', 'sort', 'sort_key', 'sort_dir']);
const SORT_KEYS: ReadonlySet<string> = new Set([
  ...['name', 'status', 'container_format', 'disk_format', 'size', 'id', 'created_at', 'updated_at'],
  ...['min_disk', 'min_ram', 'owner', 'visibility', 'protected', 'checksum'],
]);

/** The arguments as schemas, for the OpenAPI document. Any other name is a property of images. */
export const IMAGE_ARGUMENTS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [
    ...PAGING,
    ...['visibility', 'member_status', 'os_hidden', 'tag', 'size_min', 'size_max'],
    ...Object.keys(WRITABLE),
    ...['id', 'status', 'checksum', 'created_at', 'updated_at'],
  ].map((name) => [name, { type: 'string' }]),
);

const invalid = (what: string): IngotError => new IngotError('invalidParameter', what);

export interface ImagePage {
  readonly images: readonly Image[];
  /** UUID after which the next page begins; undefined on the last page. */
  readonly next?: string;
}

/** Throws invalidParameter. */
export function pageOf(
  all: readonly Image[],
  query: QueryValues,
  tenant: Tenant,
  maxLimit: number,
): ImagePage {
  const tests = [listed(query, tenant), ...filtersOf(query)];
  const order = orderOf(query);
  const limit = pageSize(readLimit(valuesOf(query, 'limit')[0], refusedLimit), maxLimit);
  const { items: images, hasNext } = pageOfList(all, {
    tests,
    order,
    limit,
    marker: markerOf(query, all, tenant),
  });
  const next = limit > 0 && hasNext ? images.at(-1)?.uuid : undefined;
  return { images, ...(next === undefined ? {} : { next }) };
}

const refusedLimit = (): IngotError => invalid('limit must be a whole number, 0 or more.');

/** May be any image that the caller sees, also one that the list does not contain. */
function markerOf(query: QueryValues, all: readonly Image[], tenant: Tenant): Marker<Image> | undefined {
  const [id] = valuesOf(query, 'marker');
  return id === undefined
    ? undefined
    : {
        id,
        idOf: ({ uuid }) => uuid,
        missing: () => invalid('Invalid marker: there is no such image.'),
        among: all.filter((image) => image.uuid === id && canSee(tenant, image)),
      };
}

/** Images of other projects: public ones, and shared ones that were accepted. Community images only on request. */
function listed(query: QueryValues, tenant: Tenant): Test {
  const [visibility] = valuesOf(query, 'visibility');
  if (visibility !== undefined && visibility !== 'all' && !VISIBILITIES.some((known) => known === visibility))
    throw invalid(`Invalid visibility value: it must be one of ${VISIBILITIES.join(', ')}, all.`);
  const [memberStatus = 'accepted'] = valuesOf(query, 'member_status');
  if (!WANTED_STATUSES.includes(memberStatus))
    throw invalid(`member_status must be one of ${WANTED_STATUSES.join(', ')}.`);
  const [hidden = 'false'] = valuesOf(query, 'os_hidden');
  const isHidden = booleanOf('os_hidden', hidden);
  return (image) => {
    if (image.isHidden !== isHidden || !canSee(tenant, image)) return false;
    if (visibility !== undefined && visibility !== 'all' && image.visibility !== visibility) return false;
    if (isOwner(tenant, image) || image.visibility === 'public') return true;
    if (image.visibility === 'community') return visibility !== undefined;
    const member = memberOf(image, tenant.projectId);
    if (member !== undefined && !tenant.isAdmin)
      return memberStatus === 'all' || member.status === memberStatus;
    return tenant.isAdmin;
  };
}

function booleanOf(name: string, text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw invalid(`${name} must be true or false.`);
  return lower === 'true';
}

function filtersOf(query: QueryValues): Test[] {
  return Object.keys(query).flatMap((name): Test[] => {
    if (PAGING.has(name) || ['visibility', 'member_status', 'os_hidden'].includes(name)) return [];
    const values = valuesOf(query, name);
    const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
    return values.map((value) => (special === undefined ? filterOf(name, value) : special(value)));
  });
}

const atLeast =
  (name: string, least: boolean) =>
  (text: string): Test => {
    if (!/^\d{1,15}$/.test(text)) throw invalid(`${name} must be a whole number, 0 or more.`);
    const bound = Number(text);
    return ({ sizeBytes }) => sizeBytes !== null && (least ? sizeBytes >= bound : sizeBytes <= bound);
  };

const COMPARISONS: Readonly<Record<string, (difference: number) => boolean>> = {
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  eq: (difference) => difference === 0,
  neq: (difference) => difference !== 0,
};

const timed =
  (name: string, timeOf: (image: Image) => Date) =>
  (text: string): Test => {
    const [, operator = 'eq', when = ''] = /^(?:(gte?|lte?|n?eq):)?(.*)$/.exec(text) ?? [];
    const time = parseIsoTime(when);
    if (time === undefined)
      throw invalid(`${name} must be a time in ISO 8601, such as gte:2030-01-31T12:00:00Z.`);
    const seconds = (ms: number): number => Math.floor(ms / 1000);
    return (image) => COMPARISONS[operator]!(seconds(timeOf(image).getTime()) - seconds(time.ms));
  };

const SPECIAL: Readonly<Record<string, (value: string) => Test>> = {
  tag: (value) => (image) => image.tags.includes(value),
  size_min: atLeast('size_min', true),
  size_max: atLeast('size_max', false),
  created_at: timed('created_at', ({ createdAt }) => createdAt),
  updated_at: timed('updated_at', ({ createdAt, updatedAt }) => updatedAt ?? createdAt),
  protected: (value) => {
    const wanted = booleanOf('protected', value);
    return ({ isProtected }) => isProtected === wanted;
  },
  id: (value) => {
    const ids = new Set(manyOf(value));
    if (![...ids].every(isUuid)) return () => false;
    return ({ uuid }) => ids.has(uuid);
  },
};

/** The value of a field on the wire; for other names, of the property. */
function wireValue(image: Image, name: string): Json {
  if (Object.hasOwn(WRITABLE, name)) return image[WRITABLE[name]!.key] as Json;
  if (Object.hasOwn(READ_ONLY, name)) return READ_ONLY[name]!.show(image);
  return Object.hasOwn(image.properties, name) ? image.properties[name]! : null;
}

function filterOf(name: string, value: string): Test {
  const wanted = new Set(MANY_VALUED.has(name) ? manyOf(value) : [value]);
  return (image) => {
    const found = wireValue(image, name);
    return found !== null && wanted.has(String(found));
  };
}

/** `in:a,"b,c"`; otherwise the whole text is one value. */
function manyOf(text: string): string[] {
  if (!text.startsWith('in:')) return [text];
  const parts = [...text.slice(3).matchAll(/(?:"((?:[^"\\]|\\.)*)"|([^,"]*))(?:,|$)/g)];
  return parts.map(([, quoted, plain = '']) => quoted?.replace(/\\(.)/g, '$1') ?? plain).filter(Boolean);
}

const SORT_RULES: SortRules = {
  isKey: (name) => SORT_KEYS.has(name),
  direction: 'desc',
  sharesDirection: true,
  refused: {
    keys: () => invalid(`Invalid sort key: it must be one of ${[...SORT_KEYS].join(', ')}.`),
    direction: () => invalid('Invalid sort direction: it must be asc or desc.'),
    count: () => invalid('Number of sort dirs does not match the number of sort keys.'),
  },
};

/** Default: newest first. Equal images are ordered by creation. */
function orderOf(query: QueryValues): readonly SortKey<Image>[] {
  const { names, directions } = sortOf(query);
  const pairs = readSort(names.length === 0 ? ['created_at'] : names, directions, SORT_RULES);
  return [
    ...pairs.map(({ name, direction }) => ({ of: timesOrValue(name), direction })),
    { of: ({ id }) => id, direction: 'desc' },
  ];
}

/** `sort=name:asc,size`, or pairs of `sort_key` and `sort_dir`. */
function sortOf(query: QueryValues): {
  readonly names: readonly string[];
  readonly directions: readonly string[];
} {
  const sort = valuesOf(query, 'sort');
  const names = valuesOf(query, 'sort_key');
  const directions = valuesOf(query, 'sort_dir');
  if (sort.length === 0) return { names, directions };
  if (names.length + directions.length > 0)
    throw invalid('sort cannot be combined with sort_key and sort_dir.');
  const parts = sort
    .join(',')
    .split(',')
    .map((part) => part.split(':').map((word) => word.trim()));
  return {
    names: parts.map(([name = '']) => name),
    directions: parts.map(([, direction = SORT_RULES.direction]) => direction),
  };
}

function timesOrValue(key: string): (image: Image) => Sortable {
  if (key === 'created_at') return ({ createdAt }) => createdAt.getTime();
  if (key === 'updated_at') return ({ createdAt, updatedAt }) => (updatedAt ?? createdAt).getTime();
  return (image) => wireValue(image, key) as Sortable;
}
