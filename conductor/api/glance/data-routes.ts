/**
 * The data of images: upload, download and import. Glance API v2.7. Data is streamed to and from the disk; slow
 * connections are allowed, silent ones are closed.
 */

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { sendFile } from '../../http/file-response.ts';
import { checkMayRead } from '../../image-service/image-access.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { oneOf, openObject, text } from '../kit/readers.ts';
import { readBody } from './image-readers.ts';
import { uuidIn } from './image-routes.ts';
import { IMPORT_METHODS } from './version-routes.ts';

const PATH = '/v2/images/:id';
const url = text();
const IMPORT = openObject({
  method: openObject({
    name: oneOf(IMPORT_METHODS),
    uri: { ...url, schema: { ...url.schema, format: 'uri' } },
  }),
});
/** How long the rest of a rejected upload is read, so that the client receives the answer. */
const HEARING_MS = 60_000;

export function registerData(app: App, library: ImageLibrary): void {
  app.register(async (scope) => registerUpload(scope, library));
  const receivers = new Set<FastifyReply['raw']>();
  // A closing server waits for running requests, but these may take hours.
  app.addHook('preClose', async () => {
    for (const receiver of receivers) receiver.destroy();
    await library.transfers.stop();
  });

  app.get(
    `${PATH}/file`,
    described('reader', 'Download the data of an image', {
      status: '2XX',
      contentType: 'application/octet-stream',
      answer: { type: 'string', format: 'binary' },
    }),
    async (request, reply) => {
      const image = await library.records.get(uuidIn(request), request.tenant);
      checkMayRead(request.tenant, image);
      if (image.status !== 'active' && image.status !== 'deactivated') return reply.code(204).send();
      // Hexadecimal, unlike in RFC 1864: Glance's clients compare it in this form.
      if (request.headers.range === undefined && image.checksum !== null)
        reply.header('Content-MD5', image.checksum);
      receivers.add(reply.raw);
      reply.raw.once('close', () => receivers.delete(reply.raw));
      return sendStored(request, reply, library.files.path(image.uuid));
    },
  );

  app.post(
    `${PATH}/import`,
    described('member', 'Import the data of an image from a URL', { body: IMPORT, status: 202 }),
    async (request, reply) => {
      const { method } = readBody(request.body, IMPORT);
      await library.transfers.startImport(uuidIn(request), request.tenant, method.uri);
      return reply.code(202).send();
    },
  );
}

async function sendStored(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  try {
    return await sendFile(request, reply, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new IngotError(
      'notFound',
      'The data of this image is not there: it was deleted meanwhile, or lost.',
    );
  }
}

function registerUpload(app: App, { transfers }: ImageLibrary): void {
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  // refused below, without reading it first
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  app.put(
    `${PATH}/file`,
    described('member', 'Upload the data of an image', { streamsBody: true, status: 204 }),
    async (request, reply) => {
      const { body, raw } = request;
      try {
        if (!(body instanceof Readable))
          throw new IngotError(
            'unsupportedMedia',
            'Data is sent with the content type application/octet-stream.',
          );
        await transfers.upload(uuidIn(request), request.tenant, body, announcedBytes(request));
      } finally {
        endAfter(raw, HEARING_MS);
      }
      return reply.code(204).send();
    },
  );
}

function announcedBytes({ headers }: FastifyRequest): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

function endAfter(raw: FastifyRequest['raw'], afterMs: number): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), afterMs);
  raw.once('close', () => clearTimeout(timer));
}
