/**
 * The operations of an OpenAPI document with their schemas as validators, for the fuzz tests.
 */
import type { OpenApiDocument } from '@ingot/conductor/api/kit/openapi.ts';
import type { JsonSchema } from '@ingot/conductor/api/kit/route-doc.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type Validate = (value: unknown) => boolean;

export interface Operation {
  readonly method: string;
  /** `/v1/nodes/{node}/ports`. */
  readonly path: string;
  readonly tag: string;
  /** Query argument -> schema. */
  readonly query: ReadonlyMap<string, JsonSchema>;
  readonly body: { readonly schema: JsonSchema; readonly maxBytes: number; readonly fits: Validate } | null;
  /** Status of a success: `204`, or `2XX` for any. */
  readonly status: string;
  /** Whether a JSON answer fits the document. */
  readonly answerFits: Validate;
}

interface DescribedOperation {
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
    readonly 'x-max-bytes': number;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
}

const DOCUMENT = 'openapi';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function operationsOf(document: OpenApiDocument): Operation[] {
  const ajv = new Ajv2020({
    strict: false,
    formats: { uuid: UUID, 'date-time': (text) => !Number.isNaN(Date.parse(text)) },
  });
  ajv.addSchema(document, DOCUMENT);
  const compile = (schema: JsonSchema): Validate => {
    const validate = ajv.compile(rooted(schema) as object);
    return (value) => validate(value) === true;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const { tags, parameters = [], requestBody, responses } = described as unknown as DescribedOperation;
      const [status = '200', answer] = Object.entries(responses)[0] ?? [];
      const schema = requestBody?.content['application/json'].schema;
      return {
        method: method.toUpperCase(),
        path,
        tag: tags[0] ?? '',
        query: new Map(parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema])),
        body:
          requestBody === undefined || schema === undefined
            ? null
            : { schema, maxBytes: requestBody['x-max-bytes'], fits: compile(schema) },
        status,
        answerFits: compile(answer?.content?.['application/json']?.schema ?? {}),
      };
    }),
  );
}

/** Makes references absolute, so that they can be resolved outside of the document. */
function rooted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rooted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === '$ref' ? [key, `${DOCUMENT}${String(item)}`] : [key, rooted(item)],
    ),
  );
}

/** The schema, or the one to which it refers. */
export function resolved(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
}
