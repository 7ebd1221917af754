/**
 * `GET /ingot/v1/openapi.json`, and Swagger UI for it at `GET /ingot/v1/docs`. Every authenticated caller may read
 * them; with the authentication `none`, everyone who can reach the port.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../kit/app.ts';
import type { DocumentedRoute } from '../../kit/documented-routes.ts';
import { openApiDocument } from '../../kit/openapi.ts';
import { BARE_METAL_API } from '../openapi.ts';

const DOCUMENT_URL = '/ingot/v1/openapi.json';
const PAGE_URL = '/ingot/v1/docs';

interface PageFile {
  readonly url: string;
  readonly path: string;
  readonly type: string;
  /** Summary in the OpenAPI document, which does not contain the files of Swagger UI. */
  readonly summary?: string;
}

const { resolve } = createRequire(import.meta.url);
const ours = (file: string): string => fileURLToPath(new URL(`../openapi-page/${file}`, import.meta.url));
const SCRIPT = 'text/javascript; charset=utf-8';

const FILES: readonly PageFile[] = [
  {
    url: PAGE_URL,
    path: ours('page.html'),
    type: 'text/html; charset=utf-8',
    summary: 'Browse the OpenAPI document',
  },
  { url: `${PAGE_URL}/page.js`, path: ours('page.js'), type: SCRIPT, summary: 'Script of the page' },
  {
    url: `${PAGE_URL}/swagger_ui.js`,
    path: resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    type: SCRIPT,
  },
  {
    url: `${PAGE_URL}/swagger_ui.css`,
    path: resolve('swagger-ui-dist/swagger-ui.css'),
    type: 'text/css; charset=utf-8',
  },
];

/** No content from other hosts, no inline scripts or styles, no embedding. Icons of Swagger UI are data URLs. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const versionOfProgram = (): string =>
  (
    JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    }
  ).version;

/** The OpenAPI document of these routes as text. */
export const openApiText = (routes: readonly DocumentedRoute[]): string =>
  `${JSON.stringify(openApiDocument(routes, BARE_METAL_API, versionOfProgram()), null, 2)}\n`;

/** `routes` grows until all routes are registered, so it is not read before the first request for the document. */
export function registerOpenApi(app: App, routes: readonly DocumentedRoute[]): void {
  let text: string | undefined;
  const doc = { summary: 'This document', answer: { type: 'object' } };
  app.get(DOCUMENT_URL, { config: { doc } }, async (_, reply) => {
    text ??= openApiText(routes);
    return reply.type('application/json; charset=utf-8').headers(PAGE_HEADERS).send(text);
  });

  for (const file of FILES) app.get(file.url, { config: configOf(file) }, sendFile(file));
}

const configOf = ({ type, summary }: PageFile) =>
  summary === undefined
    ? { undocumented: true as const }
    : { doc: { summary, answer: { type: 'string' }, contentType: type.split(';', 1)[0] as string } };

/** Reads the file at each request: the largest one has 1.7 MB, and requests are rare. */
const sendFile =
  ({ url, path, type }: PageFile) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    // The page has relative links, so that it works under any path prefix of a proxy. A trailing slash breaks them.
    if (request.url.split('?', 1)[0]?.endsWith('/'))
      return reply.redirect(`../${url.split('/').at(-1)}`, 308);
    return reply
      .type(type)
      .headers(PAGE_HEADERS)
      .send(await readFile(path));
  };
