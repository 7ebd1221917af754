/**
 * The image API: Glance v2.7 for images that are stored here. Without locations, tasks, metadata definitions, several
 * stores and caches.
 */
import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import type { CloudService } from '../cloud/cloud-service.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { registerData } from './data-routes.ts';
import { registerImages } from './image-routes.ts';
import { registerMembers } from './member-routes.ts';
import { registerSchemas } from './schema-routes.ts';
import { registerStatusActions } from './status-routes.ts';
import { registerTags } from './tag-routes.ts';
import { registerVersions } from './version-routes.ts';

const PREFIX = '/image';

export function createGlanceService(library: ImageLibrary): CloudService {
  return {
    type: 'image',
    prefix: PREFIX,
    isStrictAboutSlashes: true,
    // Nested, with no other key: glanceclient searches every value for a message.
    errorBody: (status, message) => ({
      error: { code: status, title: STATUS_CODES[status] ?? 'Error', message },
    }),
    register(app, { settings, now }) {
      const baseOf = (request: FastifyRequest): string =>
        `${baseUrlOf(request, settings.publicEndpoint)}${PREFIX}`;
      registerVersions(app, baseOf);
      registerSchemas(app);
      registerImages(app, library, { maxLimit: settings.maxLimit, baseOf });
      registerTags(app, library);
      registerStatusActions(app, library);
      registerData(app, library);
      registerMembers(app, library, now);
    },
  };
}
