/**
 * POST /servers: checks the request, stores its servers and answers at once; they are built in the background.
 */

import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { itemLinks } from '../links.ts';
import { readBody } from '../request.ts';
import { CREATE_BODY } from './create-body.ts';
import { parseCreate } from './create-request.ts';

/** The only security group that a request may name; it filters nothing. */
const DEFAULT_GROUPS = [{ name: 'default' }];

export function serverCreateRoutes(app: App, deps: ComputeDeps): void {
  const { publicEndpoint } = deps.settings;

  app.post(
    '/servers',
    described('member', 'Create servers', { body: CREATE_BODY, status: 202, item: 'server' }),
    async (request, reply) => {
      const body = readBody(request, CREATE_BODY);
      const wanted = await parseCreate(body, request, deps);
      const [first] = await deps.instances.create(wanted);
      if (first === undefined) throw new Error('a request for servers made none');
      reply.code(202);
      if (body.server.return_reservation_id) return { reservation_id: first.reservationId };
      const links = itemLinks(request, publicEndpoint, `servers/${first.uuid}`);
      reply.header('Location', links[0]?.href);
      return {
        server: {
          id: first.uuid,
          links,
          'OS-DCF:diskConfig': 'MANUAL',
          security_groups: DEFAULT_GROUPS,
          adminPass: wanted.adminPass,
        },
      };
    },
  );
}
