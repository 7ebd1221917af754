/**
 * `GET /ingot/v1/openapi.json`, and Swagger UI to browse it at `GET /ingot/v1/docs`: outside of Ironic's paths. For every
 * authenticated caller; with `auth: none`, for everyone who can reach the port.
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
  /** For the document; a file of Swagger UI is not in it. */
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

/** Nothing from other hosts, no inline script or style, no embedding in another page. Icons of Swagger UI are data URLs. */
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

/** The document of these routes as text. */
export const openApiText = (routes: readonly DocumentedRoute[]): string =>
  `${JSON.stringify(openApiDocument(routes, BARE_METAL_API, versionOfProgram()), null, 2)}\n`;

/** `routes` goes on growing until the API is complete; it is read when the document is first asked for. */
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

/** Read when it is asked for: the largest is 1.7 MB, and few conductors are ever asked. */
const sendFile =
  ({ url, path, type }: PageFile) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    // References of the page are relative, so that it works under any prefix of a proxy.
    if (request.url.split('?', 1)[0]?.endsWith('/'))
      return reply.redirect(`../${url.split('/').at(-1)}`, 308);
    return reply
      .type(type)
      .headers(PAGE_HEADERS)
      .send(await readFile(path));
  };
