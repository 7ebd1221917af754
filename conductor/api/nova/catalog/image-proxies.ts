/**
 * Images in Nova's API until 2.35, and their metadata until 2.38. Nova's /images. Only the image service changes and
 * deletes them.
 */

import type { FastifyRequest } from 'fastify';
import type { Image } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { text } from '../../kit/readers.ts';
import { itemLinks } from '../links.ts';
import { PAGE, type PagedList, pageOf } from '../page.ts';
import { readQuery } from '../request.ts';
import { zuluTime } from '../time.ts';
import { LAST_PROXIES } from './network-proxies.ts';

const LAST_METADATA = 38;
const LIST = { ...PAGE, name: text(), status: text() };

/** Nova's names of Glance's statuses. */
const STATUSES: Readonly<Partial<Record<Image['status'], readonly [status: string, progress: number]>>> = {
  active: ['ACTIVE', 100],
  queued: ['SAVING', 25],
  saving: ['SAVING', 50],
  killed: ['ERROR', 0],
};
const OTHER = ['UNKNOWN', 0] as const;

interface ById {
  Params: { id: string; key: string };
}

export function imageProxyRoutes(app: App, { images, settings }: ComputeDeps): void {
  const { publicEndpoint } = settings;

  function brief(image: Image, request: FastifyRequest): JsonObject {
    const path = `images/${image.uuid}`;
    const alternate = {
      rel: 'alternate',
      type: 'application/vnd.openstack.image',
      href: `${baseUrlOf(request, publicEndpoint)}/image/${path}`,
    };
    const links = itemLinks(request, publicEndpoint, path).map((link) => ({ ...link }));
    return { id: image.uuid, name: image.name, links: [...links, alternate] };
  }
  function whole(image: Image, request: FastifyRequest): JsonObject {
    const [status, progress] = STATUSES[image.status] ?? OTHER;
    return {
      ...brief(image, request),
      minRam: image.minRamMb,
      minDisk: image.minDiskGb,
      metadata: image.properties,
      created: zuluTime(image.createdAt),
      updated: zuluTime(image.updatedAt ?? image.createdAt),
      status,
      progress,
      'OS-EXT-IMG-SIZE:size': image.sizeBytes,
    };
  }
  async function find({ params, tenant }: FastifyRequest<ById>): Promise<Image> {
    const image = await images.find(params.id, tenant);
    if (image !== undefined) return image;
    throw new IngotError('notFound', 'Image not found.');
  }

  for (const [path, view] of [
    ['images', brief],
    ['images/detail', whole],
  ] as const) {
    app.get(
      `/${path}`,
      described('reader', 'List images (proxy of the image service)', {
        until: LAST_PROXIES,
        query: LIST,
        list: 'images',
      }),
      async (request) => {
        const query = readQuery(request, LIST);
        const status = query.status?.toLowerCase();
        const found = (await images.all(request.tenant)).filter(
          (image) => (query.name ?? image.name) === image.name && (status ?? image.status) === image.status,
        );
        const list: PagedList<Image> = { key: 'images', path, idOf: ({ uuid }) => uuid };
        const { page, links } = pageOf(request, settings, list, query, found);
        return { images: page.map((image) => view(image, request)), ...links };
      },
    );
  }
  app.get<ById>(
    '/images/:id',
    described('reader', 'Show an image (proxy of the image service)', { until: LAST_PROXIES, item: 'image' }),
    async (request) => ({ image: whole(await find(request), request) }),
  );

  app.get<ById>(
    '/images/:id/metadata',
    described('reader', 'Show the metadata of an image', { until: LAST_METADATA, item: 'metadata' }),
    async (request) => ({
      metadata: (await find(request)).properties,
    }),
  );
  app.get<ById>(
    '/images/:id/metadata/:key',
    described('reader', 'Show one item of the metadata of an image', { until: LAST_METADATA, item: 'meta' }),
    async (request) => {
      const { key } = request.params;
      const { properties } = await find(request);
      if (!Object.hasOwn(properties, key)) throw new IngotError('notFound', 'Metadata item was not found');
      return { meta: { [key]: properties[key]! } };
    },
  );

  for (const [method, url, until] of [
    ['DELETE', '/images/:id', LAST_PROXIES],
    ['POST', '/images/:id/metadata', LAST_METADATA],
    ['PUT', '/images/:id/metadata', LAST_METADATA],
    ['PUT', '/images/:id/metadata/:key', LAST_METADATA],
    ['DELETE', '/images/:id/metadata/:key', LAST_METADATA],
  ] as const) {
    app.route<ById>({
      method,
      url,
      ...described('member', 'Refused: images are changed in the image service', { until }),
      handler: async (request) => {
        const { uuid } = await find(request);
        throw new IngotError(
          'unsupported',
          `Images are changed and deleted in the image service: /image/v2/images/${uuid}`,
        );
      },
    });
  }
}
