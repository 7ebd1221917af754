/**
 * `GET /ingot/v1/openapi.json` on the façade's port: the OpenAPI document of its four APIs, for every caller with a
 * role.
 */
import { readFileSync } from 'node:fs';
import type { DocumentedRoute } from '../kit/documented-routes.ts';
import { openApiDocument } from '../kit/openapi.ts';
import { described } from './cloud-route.ts';
import type { CloudService } from './cloud-service.ts';
import { CLOUD_API } from './openapi.ts';

const versionOfProgram = (): string =>
  (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;

/** The document of these routes as text. */
export const cloudDocumentText = (routes: readonly DocumentedRoute[]): string =>
  `${JSON.stringify(openApiDocument(routes, CLOUD_API, versionOfProgram()), null, 2)}\n`;

/** `routes` is still growing here; it is read when the document is first requested. */
export function documentService(routes: readonly DocumentedRoute[]): CloudService {
  let text: string | undefined;
  return {
    type: 'documentation',
    prefix: '/ingot/v1',
    errorBody: (code, message) => ({ error: { code, message } }),
    register(app) {
      app.get(
        '/openapi.json',
        described('reader', 'This document', { answer: { type: 'object' } }),
        async (_, reply) => {
          text ??= cloudDocumentText(routes);
          return reply.type('application/json; charset=utf-8').send(text);
        },
      );
    },
  };
}
