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
  ['admin', false, true],
] as const)('%s', (role, isAdmin, isMember) => {
  expect(tenantOf({ ...caller, role })).toEqual({ projectId: 'p1', userId: 'ada', isAdmin, isMember });
});

it('the role admin on the system administers the façade, in an ordinary project it does not', () => {
  expect(tenantOf({ ...caller, scope: { kind: 'system' }, role: 'admin' }).isAdmin).toBe(true);
  expect(tenantOf({ ...caller, role: 'admin', service: true }).isAdmin).toBe(false);
});

it('only administrators see what other projects own', () => {
  expect(sees(tenantOf(caller), 'p1')).toBe(true);
  expect(sees(tenantOf(caller), 'p2')).toBe(false);
  expect(sees(tenantOf({ ...caller, administersCloud: true }), 'p2')).toBe(true);
});
