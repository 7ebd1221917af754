import { describe, expect, it } from 'vitest';
import { ADMIN, BLUE, RED } from '../../test/fakes/compute/image-parts.ts';
import type { Image, ImageMember } from '../domain/compute.ts';
import {
  canSee,
  checkMayChange,
  checkMayOwn,
  checkMayPublish,
  checkMayRead,
  isListed,
  isOwner,
  memberOf,
} from './image-access.ts';

const image = (fields: Partial<Image>) =>
  ({
    uuid: 'i1',
    status: 'active',
    owner: 'red',
    isHidden: false,
    members: [],
    ...fields,
  }) as unknown as Image;
const member = (status: ImageMember['status']) => [{ memberId: 'blue', status } as ImageMember];

describe.each<[string, Partial<Image>, blue: [sees: boolean, lists: boolean], adminLists: boolean]>([
  ['of the project', { owner: 'blue', visibility: 'private' }, [true, true], true],
  ['of another project', { visibility: 'private' }, [false, false], true],
  ['of no project', { owner: null, visibility: 'private' }, [false, false], true],
  ['that is public', { visibility: 'public' }, [true, true], true],
  ['that is public and hidden', { visibility: 'public', isHidden: true }, [true, false], false],
  ['of the community', { visibility: 'community' }, [true, false], false],
  ['of the own project for the community', { owner: 'blue', visibility: 'community' }, [true, true], false],
  ['that is shared with others', { visibility: 'shared' }, [false, false], true],
  ['that is offered', { visibility: 'shared', members: member('pending') }, [true, false], true],
  ['that is accepted', { visibility: 'shared', members: member('accepted') }, [true, true], true],
  ['that is rejected', { visibility: 'shared', members: member('rejected') }, [true, false], true],
  [
    'that is private with members',
    { visibility: 'private', members: member('accepted') },
    [false, false],
    true,
  ],
])('an image %s', (_, fields, blue, adminLists) => {
  it(`a project ${blue[0] ? 'sees' : 'does not see'} and ${blue[1] ? 'lists' : 'does not list'}`, () => {
    expect([canSee(BLUE, image(fields)), isListed(BLUE, image(fields))]).toEqual(blue);
  });
  it(`an administrator sees and ${adminLists ? 'lists' : 'does not list'}`, () => {
    expect([canSee(ADMIN, image(fields)), isListed(ADMIN, image(fields))]).toEqual([true, adminLists]);
  });
});

it('an image has members only while it is shared', () => {
  const members = member('accepted');
  expect(memberOf(image({ visibility: 'shared', members }), 'blue')).toEqual(members[0]);
  expect(memberOf(image({ visibility: 'shared', members }), 'red')).toBeUndefined();
  expect(memberOf(image({ visibility: 'private', members }), 'blue')).toBeUndefined();
});

it('an image without an owner belongs to no caller, not even to one without a project', () => {
  const nobody = { ...BLUE, projectId: null as unknown as string };
  expect(isOwner(nobody, image({ owner: null }))).toBe(false);
  expect(isOwner(RED, image({}))).toBe(true);
});

const forbidden = expect.objectContaining({ code: 'forbidden' });

it('owner and administrators may change an image', () => {
  expect(() => checkMayChange(BLUE, image({ visibility: 'public' }))).toThrow(forbidden);
  for (const tenant of [RED, ADMIN]) expect(() => checkMayChange(tenant, image({}))).not.toThrow();
});

it('only administrators may make an image public', () => {
  expect(() => checkMayPublish(BLUE, 'public')).toThrow(forbidden);
  for (const visibility of [undefined, 'private', 'shared', 'community'] as const)
    expect(() => checkMayPublish(BLUE, visibility)).not.toThrow();
  expect(() => checkMayPublish(ADMIN, 'public')).not.toThrow();
});

it('an image belongs to the project that creates it, unless an administrator says otherwise', () => {
  for (const owner of ['red', null]) expect(() => checkMayOwn(BLUE, owner)).toThrow(forbidden);
  for (const owner of ['blue', undefined]) expect(() => checkMayOwn(BLUE, owner)).not.toThrow();
  for (const owner of ['red', null]) expect(() => checkMayOwn(ADMIN, owner)).not.toThrow();
});

it('only administrators may read the data of a deactivated image', () => {
  expect(() => checkMayRead(RED, image({ status: 'deactivated' }))).toThrow(forbidden);
  expect(() => checkMayRead(ADMIN, image({ status: 'deactivated' }))).not.toThrow();
  expect(() => checkMayRead(RED, image({}))).not.toThrow();
});
