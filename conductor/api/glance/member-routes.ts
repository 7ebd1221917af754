/**
 * Projects with which a `shared` image is shared. The owner adds them; each decides for itself whether its lists
 * contain the image. Glance API v2.7.
 */

import type { FastifyRequest } from 'fastify';
import type { Image, ImageMember } from '../../domain/compute.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { isOwner } from '../../image-service/image-access.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { oneOf, openObject, text } from '../kit/readers.ts';
import { timeText } from './image-fields.ts';
import { readBody } from './image-readers.ts';
import { changeOwn, uuidIn } from './image-routes.ts';
import { MEMBER_STATUSES, memberSchema, showMember } from './member-fields.ts';

const PATH = '/v2/images/:id/members';
const MEMBER_ANSWER = { title: 'ImageMember', ...memberSchema };
const MAX_MEMBERS = 128;
const MAX_NAME = 255;
const NEW_MEMBER = openObject({ member: text({ max: MAX_NAME, pattern: /\S/ }) });
const MEMBER_STATUS = openObject({ status: oneOf(MEMBER_STATUSES) });

const missing = (memberId: string, { uuid }: Image): IngotError =>
  new IngotError('notFound', `${memberId} is no member of image ${uuid}.`);

const memberIn = ({ params }: FastifyRequest): string => (params as { member: string }).member;

function checkShared({ uuid, visibility }: Image): void {
  if (visibility === 'shared') return;
  throw new IngotError('forbidden', `Only shared images have members, and image ${uuid} is ${visibility}.`);
}

/** Members see only themselves. */
const visibleTo = (tenant: Tenant, image: Image): readonly ImageMember[] =>
  tenant.isAdmin || isOwner(tenant, image)
    ? image.members
    : image.members.filter(({ memberId }) => memberId === tenant.projectId);

export function registerMembers(app: App, library: ImageLibrary, now: () => Date): void {
  const { records } = library;

  app.get(PATH, described('reader', 'List the members of an image', { list: 'members' }), async (request) => {
    const image = await records.get(uuidIn(request), request.tenant);
    checkShared(image);
    const members = visibleTo(request.tenant, image).map((member) => showMember(image, member));
    return { members, schema: '/v2/schemas/members' };
  });

  app.get(
    `${PATH}/:member`,
    described('reader', 'Show a member of an image', { answer: MEMBER_ANSWER }),
    async (request) => {
      const image = await records.get(uuidIn(request), request.tenant);
      const wanted = memberIn(request);
      const found = visibleTo(request.tenant, image).find(({ memberId }) => memberId === wanted);
      if (found === undefined) throw missing(wanted, image);
      return showMember(image, found);
    },
  );

  app.post(
    PATH,
    described('member', 'Share an image with a project', { body: NEW_MEMBER, answer: MEMBER_ANSWER }),
    async (request) => {
      const { member: memberId } = readBody(request.body, NEW_MEMBER);
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
      return showMember(image, member);
    },
  );

  app.put(
    `${PATH}/:member`,
    described('member', 'Accept or reject an image that is shared', {
      body: MEMBER_STATUS,
      answer: MEMBER_ANSWER,
    }),
    async (request) => {
      const memberId = memberIn(request);
      const { tenant } = request;
      const { status } = readBody(request.body, MEMBER_STATUS);
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
      return showMember(image, image.members.find((known) => known.memberId === memberId)!);
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
