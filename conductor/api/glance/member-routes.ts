/**
 * Projects that an image of the visibility `shared` is shared with. Its owner names them; each says for itself whether
 * the image is to be in its lists. Glance API v2.7.
 */

import type { FastifyRequest } from 'fastify';
import type { Image, ImageMember } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { isOwner } from '../../image-service/image-access.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import type { JsonSchema } from '../kit/route-doc.ts';
import { timeText } from './image-fields.ts';
import { changeOwn, uuidIn } from './image-routes.ts';

const PATH = '/v2/images/:id/members';
const SCHEMAS = { one: '/v2/schemas/member', many: '/v2/schemas/members' };
const MAX_MEMBERS = 128;
const MAX_NAME = 255;
const bodyOf = (name: string, schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
});
const NEW_MEMBER = bodyOf('member', { type: 'string', maxLength: MAX_NAME });
const STATUSES = ['pending', 'accepted', 'rejected'] as const;
const MEMBER_STATUS = bodyOf('status', { enum: STATUSES });

const show = (image: Image, { memberId, status, createdAt, updatedAt }: ImageMember): JsonObject => ({
  image_id: image.uuid,
  member_id: memberId,
  status,
  created_at: createdAt,
  updated_at: updatedAt,
  schema: SCHEMAS.one,
});

const missing = (memberId: string, { uuid }: Image): IngotError =>
  new IngotError('notFound', `${memberId} is no member of image ${uuid}.`);

const memberIn = ({ params }: FastifyRequest): string => (params as { member: string }).member;

function checkShared({ uuid, visibility }: Image): void {
  if (visibility === 'shared') return;
  throw new IngotError('forbidden', `Only shared images have members, and image ${uuid} is ${visibility}.`);
}

/** Members know of themselves only. */
const visibleTo = (tenant: Tenant, image: Image): readonly ImageMember[] =>
  tenant.isAdmin || isOwner(tenant, image)
    ? image.members
    : image.members.filter(({ memberId }) => memberId === tenant.projectId);

export function registerMembers(app: App, library: ImageLibrary, now: () => Date): void {
  const { records } = library;

  app.get(PATH, described('reader', 'List the members of an image', { list: 'members' }), async (request) => {
    const image = await records.get(uuidIn(request), request.tenant);
    checkShared(image);
    const members = visibleTo(request.tenant, image).map((member) => show(image, member));
    return { members, schema: SCHEMAS.many };
  });

  app.get(
    `${PATH}/:member`,
    described('reader', 'Show a member of an image', { answer: { type: 'object' } }),
    async (request) => {
      const image = await records.get(uuidIn(request), request.tenant);
      const wanted = memberIn(request);
      const found = visibleTo(request.tenant, image).find(({ memberId }) => memberId === wanted);
      if (found === undefined) throw missing(wanted, image);
      return show(image, found);
    },
  );

  app.post(
    PATH,
    described('member', 'Share an image with a project', { body: NEW_MEMBER, answer: { type: 'object' } }),
    async (request) => {
      const memberId = textIn(request.body, 'member');
      const time = timeText(now());
      const member: ImageMember = { memberId, status: 'pending', createdAt: time, updatedAt: time };
      const image = await changeOwn(library, uuidIn(request), request.tenant, (found) => {
        checkShared(found);
        if (found.members.some((known) => known.memberId === memberId))
          throw new IngotError('conflict', `${memberId} is a member of image ${found.uuid} already.`);
        if (found.members.length >= MAX_MEMBERS)
          throw new IngotError('tooLarge', `An image may have ${MAX_MEMBERS} members.`);
        return { members: [...found.members, member] };
      });
      return show(image, member);
    },
  );

  app.put(
    `${PATH}/:member`,
    described('member', 'Accept or reject an image that is shared', {
      body: MEMBER_STATUS,
      answer: { type: 'object' },
    }),
    async (request) => {
      const memberId = memberIn(request);
      const { tenant } = request;
      const text = textIn(request.body, 'status');
      const status = STATUSES.find((known) => known === text);
      if (status === undefined)
        throw new IngotError('invalidParameter', `status must be one of ${STATUSES.join(', ')}.`);
      const uuid = uuidIn(request);
      await records.get(uuid, tenant);
      if (!tenant.isAdmin && tenant.projectId !== memberId)
        throw new IngotError('forbidden', 'Only the member itself says whether it accepts an image.');
      const image = await records.change(uuid, (found) => {
        if (!found.members.some((known) => known.memberId === memberId)) throw missing(memberId, found);
        const updatedAt = timeText(now());
        return {
          members: found.members.map((known) =>
            known.memberId === memberId ? { ...known, status, updatedAt } : known,
          ),
        };
      });
      return show(image, image.members.find((known) => known.memberId === memberId)!);
    },
  );

  app.delete(
    `${PATH}/:member`,
    described('member', 'No longer share an image with a project', { status: 204 }),
    async (request, reply) => {
      const memberId = memberIn(request);
      await changeOwn(library, uuidIn(request), request.tenant, (found) => {
        const members = found.members.filter((known) => known.memberId !== memberId);
        if (members.length === found.members.length) throw missing(memberId, found);
        return { members };
      });
      return reply.code(204).send();
    },
  );
}

function textIn(body: unknown, key: string): string {
  const value = isJsonObject(body) ? body[key] : undefined;
  if (typeof value === 'string' && /\S/.test(value) && value.length <= MAX_NAME) return value;
  throw new IngotError('invalidParameter', `The body must be {"${key}": "..."}.`);
}
