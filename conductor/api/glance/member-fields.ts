/**
 * The fields of a member of an image on the wire. Glance API v2.7.
 */
import type { Image, ImageMember } from '../../domain/compute.ts';
import type { JsonObject } from '../../domain/json.ts';

export const MEMBER_STATUSES = ['pending', 'accepted', 'rejected'] as const;

export const memberSchema = {
  type: 'object',
  properties: {
    created_at: { type: 'string', description: 'Date and time of image member creation' },
    image_id: { type: 'string', description: 'An identifier for the image' },
    member_id: { type: 'string', description: 'An identifier for the image member (tenantId)' },
    status: { type: 'string', enum: MEMBER_STATUSES, description: 'The status of this image member' },
    updated_at: { type: 'string', description: 'Date and time of last modification of image member' },
    schema: { type: 'string', readOnly: true },
  },
};

export const showMember = (
  { uuid }: Image,
  { memberId, status, createdAt, updatedAt }: ImageMember,
): JsonObject => ({
  image_id: uuid,
  member_id: memberId,
  status,
  created_at: createdAt,
  updated_at: updatedAt,
  schema: '/v2/schemas/member',
});
