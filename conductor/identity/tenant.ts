/**
 * The project and user of a request, as the cloud APIs need them: every server, port and private image belongs to a
 * project.
 */
import type { Caller } from '../domain/policy.ts';

export interface Tenant {
  readonly projectId: string;
  readonly userId: string;
  /** May see and change everything. With Keystone, the role `admin` in an ordinary project is not enough. */
  readonly isAdmin: boolean;
  /** May change things in the project: the role `member` and above. */
  readonly isMember: boolean;
}

/** Owns what callers without a project scope create. */
export const DEFAULT_PROJECT = 'default';
/** The user id of callers whose credentials name no user. */
const DEFAULT_USER = 'admin';

export function tenantOf(caller: Caller): Tenant {
  const { user, userId = user ?? DEFAULT_USER, scope, role } = caller;
  const isAdmin = caller.administersCloud ?? (role === 'admin' && scope.kind === 'system');
  return {
    projectId: scope.kind === 'project' ? scope.id : DEFAULT_PROJECT,
    userId,
    isAdmin,
    isMember: isAdmin || role === 'member' || role === 'manager' || role === 'admin',
  };
}

/** Whether the tenant may see the things of this project. */
export const sees = (tenant: Tenant, projectId: string): boolean =>
  tenant.isAdmin || tenant.projectId === projectId;
