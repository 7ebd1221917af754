/**
 * `GET /ingot/v1/openapi.json` and a page to browse it, `GET /ingot/v1/docs`: our own, outside Ironic's namespace.
 * For everybody whom the API knows; with `auth: none` that is who can reach it.
 */
import { readFileSync } from 'node:fs';
import type { App } from '../../kit/app.ts';
import type { DocumentedRoute } from '../../kit/documented-routes.ts';
import { openApiDocument } from '../../kit/openapi.ts';
import { BARE_METAL_API } from '../openapi.ts';

const DOCUMENT_URL = '/ingot/v1/openapi.json';
const PAGE_URL = '/ingot/v1/docs';

const FILES = [
  [PAGE_URL, 'page.html', 'text/html; charset=utf-8', 'Browse the OpenAPI document'],
  [`${PAGE_URL}/page.js`, 'page.js', 'text/javascript; charset=utf-8', 'Script of the page'],
  [`${PAGE_URL}/page.css`, 'page.css', 'text/css; charset=utf-8', 'Style of the page'],
] as const;

/** Nothing from elsewhere, nothing inline, in nobody's frame. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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

  for (const [url, file, type, summary] of FILES) {
    const body = readFileSync(new URL(`../openapi-page/${file}`, import.meta.url), 'utf8');
    const contentType = type.split(';', 1)[0] as string;
    const config = { doc: { summary, answer: { type: 'string' }, contentType } };
    app.get(url, { config }, async (request, reply) => {
      // Its references are relative, so that it works under any prefix of a proxy.
      if (request.url.split('?', 1)[0]?.endsWith('/'))
        return reply.redirect(`../${url.split('/').at(-1)}`, 308);
      return reply.type(type).headers(PAGE_HEADERS).send(body);
    });
  }
}
