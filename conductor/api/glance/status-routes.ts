/**
 * Deactivates and reactivates images. Glance API v2.7.
 */

import { IngotError } from '../../domain/errors.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { changeOwn, uuidIn } from './image-routes.ts';

export function registerStatusActions(app: App, library: ImageLibrary): void {
  for (const [action, from, to] of [
    ['deactivate', 'active', 'deactivated'],
    ['reactivate', 'deactivated', 'active'],
  ] as const) {
    app.post(
      `/v2/images/:id/actions/${action}`,
      described('member', `${action === 'deactivate' ? 'Deactivate' : 'Reactivate'} an image`, {
        status: 204,
      }),
      async (request, reply) => {
        await changeOwn(library, uuidIn(request), request.tenant, ({ status }) => {
          if (status === to) return undefined;
          if (status === from) return { status: to };
          throw new IngotError('forbidden', `Not allowed to ${action} image in status '${status}'`);
        });
        return reply.code(204).send();
      },
    );
  }
}
