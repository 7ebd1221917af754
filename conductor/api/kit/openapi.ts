/**
 * Makes the OpenAPI 3.1 document of an API from the descriptions of its routes.
 *
 * Extensions to the standard: `x-since` is the first API microversion of an operation, argument or field, `x-policy`
 * the policy that is checked for the caller, `x-max-bytes` the largest size of a body.
 */
import type { DocumentedRoute } from './documented-routes.ts';
import type { Argument, Arguments } from './query.ts';
import type { JsonSchema } from './route-doc.ts';

/** The parts of the document that do not come from the routes. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  /** Ways to authenticate; a request needs one of them. */
  readonly security: readonly JsonSchema[];
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  /** Parameters that many operations share, by name; `sharedParameters` returns the names for one operation. */
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  sharedParameters(url: string): readonly string[];
  /** Schema of the error body; its `title` is the name of the component. */
  errorOf(url: string): JsonSchema & { readonly title: string };
  /** The resource that a path belongs to: `nodes` for `/v1/nodes/:node/ports`. */
  tagOf(url: string): string;
  /** The microversion as clients write it; undefined if all versions of the API have the feature. */
  versionText(minor: number, url: string): string | undefined;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & JsonSchema;
}

/** `version` is the version of the program. */
export function openApiDocument(
  routes: readonly DocumentedRoute[],
  api: ApiDescription,
  version: string,
): OpenApiDocument {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, Readonly<Record<string, JsonSchema>>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const described = hoisted(operation(route, api), schemas) as JsonSchema;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described };
  }
  const errors = new Map(routes.map(({ url }) => [api.errorOf(url).title, api.errorOf(url)]));
  for (const error of errors.values()) hoisted(error, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: api.description,
    },
    servers: [{ url: '/' }],
    security: api.security,
    tags: [...new Set(routes.map(({ url }) => api.tagOf(url)))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters: api.parameters,
      responses: Object.fromEntries(
        [...errors.keys()].map((title) => [
          title,
          {
            description: 'What is wrong with the request, and what to try',
            content: json({ $ref: `#/components/schemas/${title}` }),
          },
        ]),
      ),
      securitySchemes: api.securitySchemes,
    },
  } as OpenApiDocument;
}

/** `get-nodes-node-states`: unique, since the pair of method and path is unique. */
const operationId = (method: string, url: string): string =>
  [method.toLowerCase(), ...url.split(/\W+/).filter((word) => word !== '')].join('-');

const sinceOf = (version: string | undefined): JsonSchema =>
  version === undefined ? {} : { 'x-since': version };

function operation(route: DocumentedRoute, api: ApiDescription): JsonSchema {
  const { method, url, doc, since, policy, isOpen, body, maxBytes } = route;
  const status = doc.status ?? 200;
  const version = (minor: number) => api.versionText(minor, url);
  const written = <T>(schema: T): T => withVersions(schema, version) as T;
  const parameters = [
    ...[...url.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(name as string)),
    ...queryParameters(doc.query, version),
    ...schemaParameters(doc.parameters),
    ...api.sharedParameters(url).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  return written({
    operationId: operationId(method, url),
    summary: doc.summary,
    tags: [api.tagOf(url)],
    ...(since === undefined ? {} : sinceOf(version(since))),
    'x-policy': policy,
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: requiresBody(body), content: json(body), 'x-max-bytes': maxBytes } }),
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted: it goes on after the answer' : 'Done',
        ...(status === 204 || (status === 202 && doc.answer === undefined)
          ? {}
          : { content: { [doc.contentType ?? 'application/json']: { schema: doc.answer ?? {} } } }),
      },
      default: { $ref: `#/components/responses/${api.errorOf(url).title}` },
    },
  });
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

/** Whether the body is required. An empty body counts as an empty object, which some schemas allow. */
const requiresBody = ({ type, required = [], anyOf = [] }: JsonSchema): boolean => {
  const forms = anyOf as readonly JsonSchema[];
  const hasRequired = (required as readonly string[]).length > 0;
  return type === 'array' || hasRequired || (forms.length > 0 && forms.every(requiresBody));
};

const pathParameter = (name: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

const ARGUMENT_SCHEMAS: Readonly<Record<Argument['kind'], JsonSchema>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  flag: { type: 'boolean' },
  uuid: { type: 'string', format: 'uuid' },
  list: { type: 'array', items: { type: 'string' } },
};

function queryParameters(
  query: Arguments | 'any' = {},
  version: (minor: number) => string | undefined,
): JsonSchema[] {
  if (query === 'any') return [];
  return Object.entries(query).map(([name, { kind, since }]) => ({
    name,
    in: 'query',
    schema: ARGUMENT_SCHEMAS[kind],
    ...(kind === 'list' ? { style: 'form', explode: false } : {}),
    ...(since === undefined ? {} : sinceOf(version(since))),
  }));
}

const schemaParameters = (parameters: Readonly<Record<string, JsonSchema>> = {}): JsonSchema[] =>
  Object.entries(parameters).map(([name, schema]) => {
    const { 'x-since': since, ...rest } = schema;
    return { name, in: 'query', schema: rest, ...(since === undefined ? {} : { 'x-since': since }) };
  });

/** Replaces the minor numbers in `x-since` and `x-until` with versions as clients write them. */
function withVersions(value: unknown, version: (minor: number) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => withVersions(item, version));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      /^x-(since|until)$/.test(key) && typeof item === 'number' ? version(item) : withVersions(item, version),
    ]),
  );
}

/** The same value, with every inner schema that has a title moved to the components and replaced with a reference. */
function hoisted(value: unknown, schemas: Map<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hoisted(item, schemas)]));
  const { title } = inner;
  if (typeof title !== 'string') return inner;
  const known = schemas.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inner)) {
    throw new Error(`Two schemas have the title ${title}`);
  }
  schemas.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}
