/**
 * Lists in Neutron's form: filters by any attribute, whose several values are alternatives; `fields`; pages by
 * `limit`, `marker`, `page_reverse`; `sort_key` and `sort_dir` in pairs. Works on the answers, so that a caller can
 * not search by attributes that it may not see. Pure.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { refused } from '../../network-service/network-error.ts';
import { readLimit, readSort, type SortRules } from '../kit/list-arguments.ts';
import { type Marker, pageOfList } from '../kit/list-page.ts';
import { changedQuery, type QueryValues, valuesOf } from '../kit/query-values.ts';
import type { SortKey } from '../kit/sorting.ts';

export interface Listed {
  readonly items: readonly JsonObject[];
  /** Queries of the next and the previous page. */
  readonly next: string | null;
  readonly previous: string | null;
}

const PAGING = ['fields', 'limit', 'marker', 'page_reverse', 'sort_key', 'sort_dir'];

type Test = (item: JsonObject) => boolean;

const splitTags = (values: readonly string[]): string[] => values.flatMap((value) => value.split(','));
const tagsOf = (item: JsonObject): readonly Json[] => (Array.isArray(item['tags']) ? item['tags'] : []);

/** Filters that are no attributes, or do not test equality. */
const SPECIAL: Readonly<Record<string, (values: readonly string[]) => Test>> = {
  fixed_ips: (values) => {
    const fits = fixedIpTest(values);
    return ({ fixed_ips: ips }) => Array.isArray(ips) && (ips as readonly JsonObject[]).some(fits);
  },
  tags: (values) => (item) => splitTags(values).every((tag) => tagsOf(item).includes(tag)),
  'tags-any': (values) => (item) => splitTags(values).some((tag) => tagsOf(item).includes(tag)),
  'not-tags': (values) => (item) => !splitTags(values).every((tag) => tagsOf(item).includes(tag)),
  'not-tags-any': (values) => (item) => !splitTags(values).some((tag) => tagsOf(item).includes(tag)),
};

export const SPECIAL_FILTERS: readonly string[] = Object.keys(SPECIAL);

/** `ip_address=10.0.0.1`, `ip_address_substr=10.0`, `subnet_id=...`: one of each kind that is named. */
function fixedIpTest(values: readonly string[]): Test {
  const asked = values.map((value) => {
    const [, key, wanted = ''] = /^(ip_address|ip_address_substr|subnet_id)=(.*)$/.exec(value) ?? [];
    if (key === undefined) throw refused.invalidInput(`fixed_ips '${value.slice(0, 64)}' is not KEY=VALUE`);
    return { key, wanted };
  });
  const byKey = [...Map.groupBy(asked, ({ key }) => key)];
  const fits = (ip: JsonObject, key: string, wanted: string): boolean =>
    key === 'ip_address_substr' ? String(ip['ip_address']).includes(wanted) : ip[key] === wanted;
  return (ip) => byKey.every(([key, any]) => any.some(({ wanted }) => fits(ip, key, wanted)));
}

function equals(shown: Json | undefined, wanted: string): boolean {
  if (typeof shown === 'boolean') return parseFlag(wanted) === shown;
  if (shown === null) return wanted === '' || wanted === 'null';
  if (Array.isArray(shown)) return shown.includes(wanted);
  return typeof shown === 'object' ? false : String(shown) === wanted;
}

/** Throws invalid input for an unknown attribute. */
export function listOf(
  items: readonly JsonObject[],
  query: QueryValues,
  attributes: readonly string[],
): Listed {
  const names = Object.keys(query).filter((name) => !PAGING.includes(name));
  const unknown = names.filter((name) => !Object.hasOwn(SPECIAL, name) && !attributes.includes(name));
  if (unknown.length > 0) {
    throw refused.invalidInput(`'${unknown.join("', '").slice(0, 100)}' is invalid attribute for filtering`);
  }
  const tests = names.map((name): Test => {
    const values = valuesOf(query, name);
    return SPECIAL[name]?.(values) ?? ((item) => values.some((value) => equals(item[name], value)));
  });
  const order = orderOf(query, attributes);
  const limit = readLimit(valuesOf(query, 'limit')[0], refusedLimit) || null;
  const isReverse = parseFlag(valuesOf(query, 'page_reverse')[0] ?? 'false') ?? false;
  const page = pageOfList(items, { tests, order, limit, isReverse, marker: markerOf(query) });
  const link = (item: JsonObject | undefined, reverse: boolean): string | null =>
    limit === null || item === undefined
      ? null
      : changedQuery(query, { marker: String(idOf(item)), page_reverse: reverse ? 'True' : null });
  const fields = valuesOf(query, 'fields').flatMap((value) => value.split(','));
  return {
    items: page.items.map((item) => onlyFields(item, fields)),
    next: page.hasNext ? link(page.items.at(-1), false) : null,
    previous: page.hasPrevious ? link(page.items[0], true) : null,
  };
}

/**
 * Selects fields of one resource or of each item of a list; without names, all. Unknown names are ignored, as in
 * Neutron.
 */
export const onlyFields = (item: JsonObject, fields: readonly string[]): JsonObject =>
  fields.length === 0
    ? item
    : Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name)));

const idOf = ({ id }: JsonObject): unknown => id;

function markerOf(query: QueryValues): Marker<JsonObject> | undefined {
  const [id] = valuesOf(query, 'marker');
  return id === undefined
    ? undefined
    : { id, idOf, missing: () => refused.invalidInput(`marker ${id.slice(0, 64)} is not in the list`) };
}

function orderOf(query: QueryValues, attributes: readonly string[]): readonly SortKey<JsonObject>[] {
  const names = valuesOf(query, 'sort_key');
  if (names.length === 0) return [];
  const pairs = readSort(names, valuesOf(query, 'sort_dir'), {
    ...SORT_RULES,
    isKey: (name) => attributes.includes(name),
  });
  return pairs.map(({ name, direction }) => ({ of: (item) => sortable(item[name]), direction }));
}

const SORT_RULES: Omit<SortRules, 'isKey'> = {
  direction: 'asc',
  refused: {
    keys: (names) =>
      refused.invalidInput(`${names.join(', ').slice(0, 100)} is invalid attribute for sort_keys`),
    direction: (word) => refused.invalidInput(`sort_dir must be asc or desc, not ${word.slice(0, 32)}`),
    count: () => refused.invalidInput('The number of sort_keys and sort_dirs must be same'),
  },
};

const refusedLimit = (text: string): Error =>
  refused.badRequest(`Limit must be an integer 0 or greater and not '${text.slice(0, 32)}'`);

const sortable = (value: Json | undefined): string | number =>
  typeof value === 'number' ? value : typeof value === 'string' ? value : JSON.stringify(value ?? null);
