/**
 * Random requests for an operation: bodies that fit its schema, and the same bodies with an error.
 */

import type { OpenApiDocument } from '@ingot/conductor/api/kit/openapi.ts';
import type { JsonSchema } from '@ingot/conductor/api/kit/route-doc.ts';
import { MAX_MINOR } from '@ingot/shared/ironic/versions.ts';
import type { Arbitrary } from 'fast-check';
import { fc } from '../random-cases.ts';
import { EXAMPLES, WORDS } from './examples.ts';
import { HOSTILE_PARTS, HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile-values.ts';
import { mutated } from './mutation.ts';
import { type Operation, resolved } from './operations.ts';

export interface Request {
  /** Including the query. */
  readonly url: string;
  /** The path has valid parameters, so the request reaches the operation. */
  readonly isAimed: boolean;
  /** undefined for no body; text is sent unchanged. */
  readonly body: unknown;
  readonly minor: number;
}

const MAX_TEXT = 300;
const MAX_FIELDS = 4;
const word = fc.constantFrom(...WORDS);
const hostileText = fc.constantFrom(...HOSTILE_TEXTS);
const hostilePart = fc.constantFrom(...HOSTILE_PARTS);
const hostileValue = fc.oneof(fc.constantFrom(...HOSTILE_VALUES), fc.jsonValue());

export function requestsFor(
  document: OpenApiDocument,
  operation: Operation,
  fill: (path: string) => string,
): Arbitrary<Request> {
  const body =
    operation.body === null ? fc.constant(undefined) : bodies(document, operation, operation.body.schema);
  return fc
    .record({
      path: fc.oneof(
        { weight: 3, arbitrary: fc.constant(fill(operation.path)) },
        pathsOf(operation.path, fill),
      ),
      query: queriesOf(operation),
      body,
      minor: fc.oneof(
        { weight: 4, arbitrary: fc.constant(MAX_MINOR) },
        fc.integer({ min: 1, max: MAX_MINOR }),
      ),
    })
    .map(({ path, query, ...request }) => ({
      ...request,
      url: query === '' ? path : `${path}?${query}`,
      isAimed: path === fill(operation.path),
    }));
}

/** The path with hostile parameters. */
function pathsOf(path: string, fill: (path: string) => string): Arbitrary<string> {
  const names = [...path.matchAll(/\{\w+\}/g)].map(([name]) => name);
  if (names.length === 0) return fc.constant(path);
  return fc
    .tuple(fc.constantFrom(...names), hostilePart)
    .map(([name, part]) => fill(path.replace(name, () => part)));
}

/** Some of the arguments with good or bad values, sometimes an unknown argument. */
function queriesOf({ method, query }: Operation): Arbitrary<string> {
  if (query.size === 0) return fc.constant('');
  const value = fc.oneof(word.map(encodeURIComponent), hostilePart, fc.integer().map(String));
  const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...query.keys()) }, hostilePart);
  const one = fc.tuple(name, value).map(([key, text]) => `${key}=${text}`);
  const some = fc.array(one, { maxLength: 3 }).map((all) => all.join('&'));
  return method === 'GET' ? some : fc.oneof({ weight: 5, arbitrary: fc.constant('') }, some);
}

/** Good and bad bodies; most bad ones have a single error. */
function bodies(document: OpenApiDocument, operation: Operation, schema: JsonSchema): Arbitrary<unknown> {
  const good = goodBodies(document, operation, schema);
  const broken = fc
    .tuple(good, fc.nat(), fc.constantFrom('replace', 'remove', 'add'), hostileValue, hostileText)
    .map(([value, place, how, hostile, name]) => mutated(value, place, how, hostile, name));
  return fc.oneof({ weight: 4, arbitrary: broken }, { weight: 3, arbitrary: good }, hostileValue);
}

function goodBodies(document: OpenApiDocument, operation: Operation, schema: JsonSchema): Arbitrary<unknown> {
  const any = fitting(document, schema);
  if (operation.method === 'PATCH' && typeof schema['$ref'] === 'string') {
    return fc.oneof({ weight: 3, arbitrary: patches(document, schema) }, any);
  }
  const examples = EXAMPLES[`${operation.method} ${operation.path}`];
  if (examples === undefined) return any;
  const example = fc.constantFrom(...examples);
  const more = fc.tuple(example, any).map(([body, extra]) => ({ ...(extra as object), ...(body as object) }));
  return fc.oneof({ weight: 2, arbitrary: example }, { weight: 2, arbitrary: more }, any);
}

/** Patches of fields, or of keys inside of them, with values that fit. */
function patches(document: OpenApiDocument, schema: JsonSchema): Arbitrary<unknown> {
  const create = { $ref: String(schema['$ref']).replace(/Patch$/, 'Create') };
  const properties = resolved(document, create)['properties'] as Readonly<Record<string, JsonSchema>>;
  const op = fc.constantFrom('add', 'replace', 'remove');
  const whole = fc
    .constantFrom(...Object.entries(properties))
    .chain(([name, inner]) =>
      fc.record({ op, path: fc.constant(`/${name}`), value: fitting(document, inner) }),
    );
  const inside = fc.record({
    op,
    path: fc.constantFrom(
      '/extra/a',
      '/extra/a/b',
      '/extra/a/b/0',
      '/extra/a/b/-',
      '/extra/x/y',
      '/extra/~1',
    ),
    value: fc.jsonValue({ maxDepth: 2 }),
  });
  const one = fc
    .oneof({ weight: 2, arbitrary: whole }, inside)
    .map(({ value, ...rest }) => (rest.op === 'remove' ? rest : { ...rest, value }));
  return fc.array(one, { minLength: 1, maxLength: 3 });
}

/** Values that fit the schema. */
function fitting(document: OpenApiDocument, given: JsonSchema): Arbitrary<unknown> {
  const schema = resolved(document, given);
  const {
    enum: allowed,
    anyOf,
    type,
    pattern,
  } = schema as {
    enum?: readonly unknown[];
    anyOf?: readonly JsonSchema[];
    type?: string | readonly string[];
    pattern?: string;
  };
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => fitting(document, one)));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (type === undefined) return fc.oneof(word, fc.jsonValue({ maxDepth: 3 }));
  return fc.oneof(...[type].flat().map((one) => ofType(document, schema, one as string)));
}

function ofType(document: OpenApiDocument, schema: JsonSchema, type: string): Arbitrary<unknown> {
  const number = (key: string, otherwise: number) => (schema[key] as number | undefined) ?? otherwise;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: number('minimum', -1000), max: number('maximum', 1000) });
    case 'string': {
      if (schema['format'] === 'uuid') return fc.oneof(fc.uuid(), fc.constantFrom(...WORDS.filter(isUuid)));
      const maxLength = Math.min(number('maxLength', MAX_TEXT), MAX_TEXT);
      return fc.oneof(word, fc.string({ minLength: number('minLength', 0), maxLength, unit: 'grapheme' }));
    }
    case 'array':
      return fc.array(fitting(document, (schema['items'] as JsonSchema | undefined) ?? {}), {
        minLength: number('minItems', 0),
        maxLength: 3,
      });
    default:
      return objects(document, schema);
  }
}

const isUuid = (text: string): boolean => /^[0-9a-f-]{36}$/.test(text);

function objects(document: OpenApiDocument, schema: JsonSchema): Arbitrary<unknown> {
  const { properties, required = [] } = schema as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  if (properties === undefined)
    return fc.dictionary(fc.oneof(word, fc.string()), fc.jsonValue(), { maxKeys: 3 });
  const fields = Object.entries(properties).map(([name, inner]) => [name, fitting(document, inner)] as const);
  const some = fc.subarray(
    fields.map(([name]) => name),
    { maxLength: Math.min(fields.length, MAX_FIELDS) },
  );
  return fc
    .tuple(fc.record(Object.fromEntries(fields)), some)
    .map(([all, names]) =>
      Object.fromEntries(
        Object.entries(all).filter(([name]) => required.includes(name) || names.includes(name)),
      ),
    );
}
