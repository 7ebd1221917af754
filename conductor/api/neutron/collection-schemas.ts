/**
 * JSON Schemas of requests for networks, subnets and ports, derived from their tables of attributes.
 */
import type { JsonSchema } from '../kit/route-doc.ts';
import { tags } from './attributes.ts';
import { SPECIAL_FILTERS } from './list-query.ts';
import { type BodyRules, MAX_BULK } from './request-body.ts';

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };

export const FIELDS_ARGUMENT: Readonly<Record<string, JsonSchema>> = { fields: TEXTS };

const PAGE: Readonly<Record<string, JsonSchema>> = {
  ...FIELDS_ARGUMENT,
  limit: { type: 'integer', minimum: 0 },
  marker: TEXT,
  page_reverse: { type: 'boolean' },
  sort_key: TEXTS,
  sort_dir: { type: 'array', items: { enum: ['asc', 'desc'] } },
};

export const TAGS_BODY: JsonSchema = under('tags', tags.schema);

/** Arguments of a list: pages, and a filter for every attribute. */
export const listArguments = ({ attributes }: BodyRules): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries([
    ...[...Object.keys(attributes), 'id', ...SPECIAL_FILTERS].map((name) => [name, TEXTS]),
    ...Object.entries(PAGE),
  ]);

/** One resource; for POST also many at once. */
export function bodySchema({ singular, plural, attributes }: BodyRules, verb: 'post' | 'put'): JsonSchema {
  const rows = Object.entries(attributes).filter(([, row]) => row[verb] !== undefined);
  const required = rows.filter(([, { post }]) => verb === 'post' && post === 'required');
  const one: JsonSchema = {
    title: `${singular[0]?.toUpperCase()}${singular.slice(1)}${verb === 'post' ? 'Create' : 'Update'}`,
    type: 'object',
    properties: Object.fromEntries(rows.map(([name, { value }]) => [name, value.schema])),
    required: required.map(([name]) => name),
    additionalProperties: false,
  };
  const many: JsonSchema = { type: 'array', items: one, minItems: 1, maxItems: MAX_BULK };
  return verb === 'put' ? under(singular, one) : { anyOf: [under(singular, one), under(plural, many)] };
}

function under(name: string, schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { [name]: schema }, required: [name] };
}
