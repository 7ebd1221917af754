/**
 * The places that a request for servers would get: POST /scheduler/explain accepts the body of POST /servers, claims
 * nothing and answers with the report that a real request stores. An addition of Ingot, not part of Nova.
 */

import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { readBody } from '../request.ts';
import { CREATE_BODY } from '../servers/create-body.ts';
import { parseCreate } from '../servers/create-request.ts';

export function schedulerExplainRoutes(app: App, deps: ComputeDeps): void {
  app.post(
    '/scheduler/explain',
    described('admin', 'Explain where a request for servers would be placed', {
      body: CREATE_BODY,
      item: 'report',
    }),
    async (request) => {
      const wanted = await parseCreate(readBody(request, CREATE_BODY), request, deps);
      return { report: await deps.instances.explain(wanted) };
    },
  );
}
