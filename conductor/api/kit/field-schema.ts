/**
 * JSON Schemas from field tables: for bodies of POST and PATCH, and for answers. `x-since` is the first microversion of
 * a field: a minor number here, a version as clients write it in the OpenAPI document.
 */
import type { FieldKind } from '@ingot/shared/ironic/field-values.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { JsonSchema } from './route-doc.ts';

const DEFAULT_MAX_LENGTH = 255;

type OfField = (maxLength: number) => JsonSchema;

const text: OfField = (maxLength) => ({ type: ['string', 'null'], maxLength });
const flag: OfField = () => ({
  type: ['boolean', 'string', 'null'],
  description: 'true or false, also as "yes", "off", ...',
});
const notWritten: OfField = () => ({ readOnly: true });

/** The values that parseFieldValue in shared/ironic/field-values.ts accepts. */
const WRITTEN: Readonly<Record<FieldKind, OfField>> = {
  text,
  word: text,
  interface: text,
  flag,
  maybeFlag: flag,
  uuid: () => ({ type: ['string', 'null'], format: 'uuid' }),
  dict: () => ({ type: ['object', 'null'] }),
  required: (maxLength) => ({ type: 'string', minLength: 1, maxLength }),
  integer: () => ({ type: 'integer' }),
  strings: (maxLength) => ({ type: ['array', 'null'], items: { type: 'string', maxLength } }),
  objects: () => ({ type: ['array', 'null'], items: { type: 'object' } }),
  time: notWritten,
  list: notWritten,
  derived: notWritten,
};

const SHOWN: Readonly<Record<FieldKind, JsonSchema>> = {
  text: { type: ['string', 'null'] },
  word: { type: ['string', 'null'] },
  interface: { type: ['string', 'null'] },
  flag: { type: 'boolean' },
  maybeFlag: { type: ['boolean', 'null'] },
  uuid: { type: ['string', 'null'], format: 'uuid' },
  dict: { type: ['object', 'null'] },
  required: { type: 'string' },
  integer: { type: 'integer' },
  strings: { type: 'array', items: { type: 'string' } },
  // null: the conditions and actions of a sensitive inspection rule
  objects: { type: ['array', 'null'], items: { type: 'object' } },
  time: { type: ['string', 'null'], format: 'date-time' },
  list: { type: 'array' },
  derived: { type: ['string', 'object', 'null'] },
};

const LINKS: JsonSchema = {
  title: 'Links',
  type: 'array',
  items: {
    type: 'object',
    properties: { href: { type: 'string' }, rel: { type: 'string', enum: ['self', 'bookmark'] } },
    required: ['href', 'rel'],
  },
};

const since = (minor: number): JsonSchema => (minor === 1 ? {} : { 'x-since': minor });

const propertiesOf = (fields: readonly WireField[], schema: (field: WireField) => JsonSchema): JsonSchema =>
  Object.fromEntries(fields.map((field) => [field.wire, { ...schema(field), ...since(field.since) }]));

const written = ({ kind, maxLength = DEFAULT_MAX_LENGTH }: WireField): JsonSchema => WRITTEN[kind](maxLength);

/** null means that the field is left out, so a required field can not be null. */
const nullable = (schema: JsonSchema, isNullable: boolean): JsonSchema => {
  const types = [schema['type'] ?? []].flat().filter((type) => type !== 'null');
  if (types.length === 0) return schema;
  if (isNullable) types.push('null');
  return { ...schema, type: types.length === 1 ? types[0] : types };
};

/** Body of a POST. */
export const createSchema = (
  title: string,
  fields: readonly WireField[],
  required: readonly string[],
): JsonSchema => ({
  title: `${title}Create`,
  type: 'object',
  properties: propertiesOf(
    fields.filter((field) => field.create),
    (field) => nullable(written(field), !required.includes(field.wire)),
  ),
  required,
  additionalProperties: false,
});

/** Body of a PATCH: three of the operations of RFC 6902, on the patchable fields. */
export const patchSchema = (title: string, fields: readonly WireField[]): JsonSchema => {
  const names = fields.filter((field) => field.patch).map((field) => field.wire);
  return {
    title: `${title}Patch`,
    type: 'array',
    items: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: ['add', 'replace', 'remove'] },
        path: {
          type: 'string',
          pattern: `^/(${names.join('|')})(/([^~/]|~[01])+)*$`,
          description: 'JSON pointer: a field, or something inside of one',
        },
        value: {},
      },
      required: ['op', 'path'],
      additionalProperties: false,
    },
  };
};

/** One record in answers, with any selection of its fields. `links`: name -> first microversion. */
export const answerSchema = (
  title: string,
  fields: readonly WireField[],
  links: Readonly<Record<string, number>> = {},
): JsonSchema => ({
  title,
  type: 'object',
  properties: {
    ...propertiesOf(
      fields.filter((field) => !field.hidden),
      ({ kind }) => SHOWN[kind],
    ),
    ...Object.fromEntries(
      Object.entries(links).map(([name, minor]) => [name, { allOf: [LINKS], ...since(minor) }]),
    ),
    links: LINKS,
  },
  additionalProperties: false,
});

/** A page of a list. */
export const listSchema = (key: string, item: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    [key]: { type: 'array', items: item },
    next: { type: 'string', description: 'URL of the next page, when there may be one' },
  },
  required: [key],
  additionalProperties: false,
});

/** The schema of an object with exactly these required properties. */
export const objectSchema = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
