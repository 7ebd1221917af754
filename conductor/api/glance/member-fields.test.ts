import { expect, it } from 'vitest';
import type { Image, ImageMember } from '../../domain/compute.ts';
import { memberSchema, showMember } from './member-fields.ts';

it('a member in answers has exactly the fields of its schema', () => {
  const member: ImageMember = { memberId: 'red', status: 'pending', createdAt: 'then', updatedAt: 'now' };
  const shown = showMember({ uuid: 'i1' } as Image, member);
  expect(shown).toMatchObject({ image_id: 'i1', member_id: 'red', created_at: 'then', updated_at: 'now' });
  expect(Object.keys(shown).toSorted()).toEqual(Object.keys(memberSchema.properties).toSorted());
});
