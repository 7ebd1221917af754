import { expect, it } from 'vitest';
import type { Caller } from '../domain/policy.ts';
import { sees, tenantOf } from './tenant.ts';

const caller: Caller = {
  user: 'ada',
  scope: { kind: 'project', id: 'p1' },
  role: 'member',
  service: false,
};

it('users with the same name in two domains are different users', () => {
  const [one, other] = ['u1', 'u2'].map((userId) => tenantOf({ ...caller, userId }).userId);
  expect([one, other]).toEqual(['u1', 'u2']);
  expect(tenantOf(caller).userId).toBe('ada');
  expect(tenantOf({ ...caller, user: null }).userId).toBe('admin');
});

it.each([
  ['reader', false, false],
  ['member', false, true],
  ['manager', false, true],
  ['admin', true, true],
] as const)('%s', (role, isAdmin, isMember) => {
  expect(tenantOf({ ...caller, role })).toEqual({ projectId: 'p1', userId: 'ada', isAdmin, isMember });
});

it('only administrators see what other projects own', () => {
  expect(sees(tenantOf(caller), 'p1')).toBe(true);
  expect(sees(tenantOf(caller), 'p2')).toBe(false);
  expect(sees(tenantOf({ ...caller, role: 'admin' }), 'p2')).toBe(true);
});
