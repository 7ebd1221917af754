/**
 * JSON Schemas of requests for networks, subnets and ports, derived from their tables of attributes.
 */
import type { JsonSchema } from '../kit/route-doc.ts';
import { tags } from './attributes.ts';
import { SPECIAL_FILTERS } from './list-query.ts';
import type { BodyRules } from './request-body.ts';

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

export const TAGS_BODY: JsonSchema = {
  type: 'object',
  properties: { tags: tags.schema },
  required: ['tags'],
};

/** Arguments of a list: pages, and a filter for every attribute. */
export const listArguments = ({ attributes }: BodyRules): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries([
    ...[...Object.keys(attributes), 'id', ...SPECIAL_FILTERS].map((name) => [name, TEXTS]),
    ...Object.entries(PAGE),
  ]);

export function bodySchema({ singular, attributes }: BodyRules, verb: 'post' | 'put'): JsonSchema {
  const rows = Object.entries(attributes).filter(([, row]) => row[verb] !== undefined);
  const required = rows.filter(([, { post }]) => verb === 'post' && post === 'required');
  const one: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(rows.map(([name, { value }]) => [name, value.schema])),
    required: required.map(([name]) => name),
    additionalProperties: false,
  };
  return { type: 'object', properties: { [singular]: one }, required: [singular] };
}
