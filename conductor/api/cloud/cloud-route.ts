/**
 * Options of a route of the façade: who may call it, and what the OpenAPI document says about it.
 */
import type { FastifyContextConfig } from 'fastify';
import type { Reader } from '../kit/readers.ts';
import type { JsonSchema, RouteDoc } from '../kit/route-doc.ts';
import type { Access } from './cloud-service.ts';

type Described = Reader<unknown> | JsonSchema;

export interface RouteDetails extends Pick<RouteDoc, 'status' | 'contentType' | 'answer'> {
  /** Microversions that have the route. */
  readonly since?: number;
  readonly until?: number;
  /** Arguments of the query string. */
  readonly query?: Readonly<Record<string, Described>>;
  readonly body?: Described;
  /** Instead of `answer`: the key of the single object or list in the answer. */
  readonly item?: string;
  readonly list?: string;
  /** See cloud-service.ts. */
  readonly streamsBody?: boolean;
}

export function described(
  access: Access,
  summary: string,
  details: RouteDetails = {},
): { config: FastifyContextConfig } {
  const { since, until, query, body, item, list, streamsBody, ...doc } = details;
  const answer = answerOf(item, list);
  return {
    config: {
      access,
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(streamsBody === undefined ? {} : { streamsBody }),
      doc: {
        summary,
        ...(query === undefined ? {} : { parameters: schemasOf(query) }),
        ...(body === undefined ? {} : { body: schemaOf(body) }),
        ...(answer === undefined ? {} : { answer }),
        ...doc,
      },
    },
  };
}

const isReader = (value: Described): value is Reader<unknown> => typeof value['read'] === 'function';

const schemaOf = (value: Described): JsonSchema => (isReader(value) ? value.schema : value);

export const schemasOf = (
  fields: Readonly<Record<string, Described>>,
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, schemaOf(value)]));

function answerOf(item: string | undefined, list: string | undefined): JsonSchema | undefined {
  const key = item ?? list;
  if (key === undefined) return undefined;
  const one = { type: 'object' };
  return {
    type: 'object',
    properties: { [key]: item === undefined ? { type: 'array', items: one } : one },
    required: [key],
  };
}
