/**
 * The OpenAPI 3.1 document, made of what the routes tell about themselves.
 *
 * Beyond the standard: `x-since` is the first API microversion of an operation, argument or field, `x-policy` the
 * policy a caller is held to, `x-max-bytes` how large a body may be.
 */
import { MAX_MINOR, MIN_MINOR, VERSION_HEADERS, versionText } from '@ingot/shared/ironic/versions.ts';
import type { RouteOptions } from 'fastify';
import type { App } from '../kit/app.ts';
import type { Argument, Arguments } from '../kit/query.ts';
import type { JsonSchema, RouteDoc } from '../kit/route-doc.ts';
import { type Guard, guardOf } from './auth/route-policies.ts';
import { BODY_BYTES } from './server.ts';

export interface DocumentedRoute {
  readonly method: string;
  /** As fastify writes it: `/v1/nodes/:node`. */
  readonly url: string;
  readonly doc: RouteDoc;
  readonly since: number;
  readonly policy: Guard['policy'];
  readonly body: JsonSchema | undefined;
  /** Of the body. */
  readonly maxBytes: number;
}

/** Collects the routes registered from now on. Throws for one that does not tell what it does. */
export function collectDocs(app: App): readonly DocumentedRoute[] {
  const routes: DocumentedRoute[] = [];
  app.addHook('onRoute', (route) => {
    if (route.config?.undocumented === true) return;
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD') routes.push(documented(method, route));
    }
  });
  return routes;
}

function documented(method: string, { url, config, schema, bodyLimit }: RouteOptions): DocumentedRoute {
  const doc = config?.doc;
  const guard = guardOf(method, url);
  if (doc === undefined || guard === undefined) {
    throw new Error(`No description of ${method} ${url}: give the route a config.doc`);
  }
  const body = method === 'GET' ? undefined : ((schema?.body as JsonSchema | undefined) ?? doc.body);
  return {
    method,
    url,
    doc,
    since: doc.since ?? config?.since ?? MIN_MINOR,
    policy: guard.policy,
    body,
    maxBytes: bodyLimit ?? BODY_BYTES,
  };
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & JsonSchema;
}

const ERROR: JsonSchema = {
  title: 'Error',
  type: 'object',
  properties: {
    error_message: {
      type: 'string',
      description:
        'JSON in a string: {"faultcode", "faultstring", "debuginfo"}, or {"code", "title", "description"} from the router',
      contentMediaType: 'application/json',
    },
  },
  required: ['error_message'],
};
const VERSION_PARAMETER = {
  name: VERSION_HEADERS.applied,
  in: 'header',
  description: 'API microversion of the request, or "latest". Without it the request is one of 1.1.',
  schema: { type: 'string', pattern: '^(1\\.[0-9]+|latest)$', default: versionText(MIN_MINOR) },
};

export function openApiDocument(routes: readonly DocumentedRoute[], version: string): OpenApiDocument {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, Readonly<Record<string, JsonSchema>>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const described = hoisted(operation(route), schemas) as JsonSchema;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described };
  }
  hoisted(ERROR, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Ingot',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: `Bare-metal provisioning, speaking the OpenStack Ironic API ${versionText(MIN_MINOR)} to ${versionText(MAX_MINOR)}. Paths under /ingot/ are our own.`,
    },
    servers: [{ url: '/' }],
    // The operator chooses one: nobody is asked, a name and password, or a Keystone token.
    security: [{}, { basic: [] }, { keystone: [] }],
    tags: [...new Set(routes.map(({ url }) => tagOf(url)))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters: { version: VERSION_PARAMETER },
      responses: {
        Error: {
          description: 'What is wrong with the request, and what to try',
          content: json({ $ref: '#/components/schemas/Error' }),
        },
      },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        keystone: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      },
    },
  } as OpenApiDocument;
}

/** The resource a path is about: `nodes` of `/v1/nodes/:node/ports`. */
const tagOf = (url: string): string => /^(?:\/ingot)?\/v1\/(\w+)/.exec(url)?.[1] ?? 'versions';

/** `get-nodes-node-states`: unique, as method and path are. */
const operationId = (method: string, url: string): string =>
  [method.toLowerCase(), ...url.split(/\W+/).filter((word) => word !== '')].join('-');

function operation({ method, url, doc, since, policy, body, maxBytes }: DocumentedRoute): JsonSchema {
  const status = doc.status ?? 200;
  const parameters = [
    ...[...url.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(name as string)),
    ...queryParameters(doc.query),
    ...(url === '/v1' || url.startsWith('/v1/') ? [{ $ref: '#/components/parameters/version' }] : []),
  ];
  return {
    operationId: operationId(method, url),
    summary: doc.summary,
    tags: [tagOf(url)],
    ...(since > MIN_MINOR ? { 'x-since': versionText(since) } : {}),
    'x-policy': policy,
    ...(policy === 'public' || policy === 'ramdisk' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: requiresBody(body), content: json(body), 'x-max-bytes': maxBytes },
        }),
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted: it goes on after the answer' : 'Done',
        ...(status === 204 || (status === 202 && doc.answer === undefined)
          ? {}
          : { content: { [doc.contentType ?? 'application/json']: { schema: doc.answer ?? {} } } }),
      },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

/** An empty body is an empty object. */
const requiresBody = ({ type, required = [] }: JsonSchema): boolean =>
  type === 'array' || (required as readonly string[]).length > 0;

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

function queryParameters(query: Arguments | 'any' = {}): JsonSchema[] {
  if (query === 'any') return [];
  return Object.entries(query).map(([name, { kind, since }]) => ({
    name,
    in: 'query',
    schema: ARGUMENT_SCHEMAS[kind],
    ...(kind === 'list' ? { style: 'form', explode: false } : {}),
    ...(since === undefined ? {} : { 'x-since': versionText(since) }),
  }));
}

/** The same with every titled schema inside put among the components, and referred to. */
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
