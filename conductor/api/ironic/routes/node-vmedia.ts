/**
 * `/v1/nodes/{node}/vmedia`: images that the BMC shows to the machine as drives. API 1.89, GET 1.93.
 */

import type { FastifyRequest } from 'fastify';
import { MEDIA_DEVICES, type MediaDevice, type VirtualMediaControl } from '../../../domain/driver-parts.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { NodeContext } from '../../../domain/node-context.ts';
import type { App } from '../../kit/app.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { partOf } from '../driver-part.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 89;
const SHOW_SINCE = 93;
const URL_OF = '/v1/nodes/:node/vmedia';
/** Device type of a POST -> its name in Redfish (DMTF DSP2046, VirtualMedia.MediaTypes). */
const MEDIA_TYPES: Readonly<Record<MediaDevice, string>> = {
  disk: 'USBStick',
  cdrom: 'CD',
  floppy: 'Floppy',
};
/** Schemes of the URLs from which BMCs fetch images. */
const SCHEMES = ['http:', 'https:', 'nfs:', 'cifs:', 'smb:'];

const BODY = Type.Object(
  {
    device_type: Type.Enum(MEDIA_DEVICES),
    image_url: Type.String({ minLength: 1, maxLength: 2048 }),
    image_download_source: Type.Optional(Type.Enum(['http', 'local', 'swift'])),
  },
  { additionalProperties: false },
);
const DETACH_ARGUMENTS = { device_types: { kind: 'list' } } as const;
const ATTACH_DOC = { summary: 'Attach an image as virtual media', status: 204 } as const;
const DETACH_DOC = { summary: 'Detach virtual media', status: 204, query: DETACH_ARGUMENTS } as const;
const SHOW_DOC = {
  summary: 'List virtual media',
  answer: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        media_types: { type: 'array', items: { type: 'string', enum: Object.values(MEDIA_TYPES) } },
        inserted: { type: 'boolean' },
        image: { type: ['string', 'null'] },
      },
    },
  },
};

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

/** Throws invalidParameter for other schemes, and for credentials, which everyone who sees the node could read. */
function checkImageUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !SCHEMES.includes(url.protocol)) {
    throw invalid(
      `image_url must be a URL with one of the schemes ${SCHEMES.map((scheme) => scheme.slice(0, -1)).join(', ')}.`,
    );
  }
  if (url.username !== '' || url.password !== '') throw invalid('image_url may not hold a name or password.');
}

export function registerNodeVmedia(app: App, { engine, store }: ApiDeps): void {
  async function onMedia<T>(
    request: FastifyRequest,
    asked: string,
    work: (media: VirtualMediaControl, context: NodeContext) => Promise<T>,
    options: { readonly shares?: boolean } = {},
  ): Promise<T> {
    const { uuid } = await nodeOf(store.nodes, request);
    return engine.withHardware(
      uuid,
      asked,
      ({ management }, context) => {
        management.validate(context.node, context.ports);
        return work(partOf(context.node, management, 'virtualMedia', asked), context);
      },
      options,
    );
  }

  app.get(URL_OF, { config: { since: SHOW_SINCE, doc: SHOW_DOC } }, async (request) => {
    const media = await onMedia(request, 'get_virtual_media', (control, context) => control.list(context), {
      shares: true,
    });
    return media.map(({ device, imageUrl }) => ({
      media_types: [MEDIA_TYPES[device]],
      inserted: imageUrl !== null,
      image: imageUrl,
    }));
  });

  app.post<{ Body: Static<typeof BODY> }>(
    URL_OF,
    { schema: { body: BODY }, config: { since: SINCE, doc: ATTACH_DOC } },
    async (request, reply) => {
      const { device_type: device, image_url: url } = request.body;
      checkImageUrl(url);
      await onMedia(request, 'attach_virtual_media', (control, context) =>
        control.attach(context, device, url),
      );
      return reply.code(204).send();
    },
  );

  app.delete(URL_OF, { config: { since: SINCE, doc: DETACH_DOC } }, async (request, reply) => {
    const { device_types: asked = [] } = parseQuery(request, DETACH_ARGUMENTS);
    const known: readonly string[] = MEDIA_DEVICES;
    const unknown = asked.filter((device) => !known.includes(device));
    if (unknown.length > 0) {
      throw invalid(`Invalid device type(s) ${unknown.join(', ')} (valid are ${known.join(', ')})`);
    }
    const devices = asked.length === 0 ? MEDIA_DEVICES : (asked as MediaDevice[]);
    await onMedia(request, 'detach_virtual_media', (control, context) => control.detach(context, devices));
    return reply.code(204).send();
  });
}
