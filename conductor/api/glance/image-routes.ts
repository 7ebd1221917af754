/**
 * Records of images: create, list, show, change, delete. Glance API v2.7.
 */

import type { FastifyRequest } from 'fastify';
import type { Image } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import { newUuid } from '../../engine/identifiers.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { canSee, checkMayChange, missingImage } from '../../image-service/image-access.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import type { ImagePatch } from '../../image-service/image-records.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { acceptJsonAs } from '../kit/json-body.ts';
import { changedQuery, type QueryValues } from '../kit/query-values.ts';
import { parseNewImage, patchOf } from './image-change.ts';
import { imageSchema, showImage, writableSchemas } from './image-fields.ts';
import { IMAGE_ARGUMENTS, pageOf } from './image-query.ts';
import { currentPatch } from './older-patch.ts';
import { IMPORT_METHODS } from './version-routes.ts';

/** Media type -> reader of its body. */
const PATCH_TYPES: Readonly<Record<string, (body: unknown) => unknown>> = {
  'application/openstack-images-v2.1-json-patch': (body) => body,
  'application/openstack-images-v2.0-json-patch': currentPatch,
};
const PATH = '/v2/images';
const IMAGE_ANSWER = { title: 'Image', ...imageSchema };
const IMAGE_BODY = {
  title: 'ImageCreate',
  type: 'object',
  properties: { id: { type: 'string', format: 'uuid' }, ...writableSchemas },
  additionalProperties: { type: 'string' },
};

export interface ImageRouteSettings {
  readonly maxLimit: number;
  /** Base URL of this service, without a trailing slash. */
  readonly baseOf: (request: FastifyRequest) => string;
}

/** Checks first whether the tenant may see and change the image, before other errors reveal something about it. */
export function changeOwn(
  { records }: Pick<ImageLibrary, 'records'>,
  uuid: string,
  tenant: Tenant,
  decide: (image: Image) => ImagePatch | undefined,
): Promise<Image> {
  return records.change(uuid, (image) => {
    if (!canSee(tenant, image)) throw missingImage(uuid);
    checkMayChange(tenant, image);
    return decide(image);
  });
}

export const uuidIn = ({ params }: FastifyRequest): string => (params as { id: string }).id.toLowerCase();

export function registerImages(app: App, library: ImageLibrary, settings: ImageRouteSettings): void {
  const { records, files, transfers } = library;

  acceptJsonAs(app, Object.keys(PATCH_TYPES));

  app.post(
    PATH,
    described('member', 'Create an image', { body: IMAGE_BODY, status: 201, answer: IMAGE_ANSWER }),
    async (request, reply) => {
      const image = await records.create(parsedNew(request));
      return reply
        .code(201)
        .header('Location', `${settings.baseOf(request)}${PATH}/${image.uuid}`)
        .header('OpenStack-image-import-methods', IMPORT_METHODS.join(','))
        .send(showImage(image));
    },
  );

  app.get(
    PATH,
    described('reader', 'List images', { query: IMAGE_ARGUMENTS, list: 'images' }),
    async (request) => {
      const query = request.query as QueryValues;
      const { images, next } = pageOf(await records.all(), query, request.tenant, settings.maxLimit);
      return {
        images: images.map(showImage),
        first: linkWith(query, null),
        ...(next === undefined ? {} : { next: linkWith(query, next) }),
        schema: '/v2/schemas/images',
      };
    },
  );

  app.get(`${PATH}/:id`, described('reader', 'Show an image', { answer: IMAGE_ANSWER }), async (request) =>
    showImage(await records.get(uuidIn(request), request.tenant)),
  );

  app.patch(
    `${PATH}/:id`,
    described('member', 'Change an image by a JSON patch', {
      body: { type: 'array', items: { type: 'object' } },
      answer: IMAGE_ANSWER,
    }),
    async (request, reply) => {
      const read = PATCH_TYPES[contentTypeOf(request)];
      if (read === undefined) {
        const types = Object.keys(PATCH_TYPES).join(', ');
        reply.header('Accept-Patch', types);
        throw new IngotError(
          'unsupportedMedia',
          `Images are changed by a patch of one of the content types ${types}.`,
        );
      }
      const { tenant } = request;
      const body = read(request.body);
      return showImage(
        await changeOwn(library, uuidIn(request), tenant, (image) => patchOf(body, image, tenant)),
      );
    },
  );

  app.delete(
    `${PATH}/:id`,
    described('member', 'Delete an image', { status: 204 }),
    async (request, reply) => {
      const uuid = uuidIn(request);
      const check = (image: Image): void => {
        if (!canSee(request.tenant, image)) throw missingImage(uuid);
        checkMayChange(request.tenant, image);
        if (image.isProtected)
          throw new IngotError('forbidden', `Image ${uuid} is protected and cannot be deleted.`);
        transfers.cancel(uuid);
      };
      await records.delete(uuid, check, () => files.remove(uuid));
      return reply.code(204).send();
    },
  );
}

const contentTypeOf = ({ headers }: FastifyRequest): string =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';

const parsedNew = ({ body, tenant }: FastifyRequest) => parseNewImage(body, tenant, newUuid);

/** Relative to the service, as in Glance. */
function linkWith(query: QueryValues, marker: string | null): string {
  const search = changedQuery(query, { marker });
  return search === '' ? PATH : `${PATH}?${search}`;
}
