/**
 * Whose request it is, as the cloud APIs see it: every server, port and private image belongs to a project.
 */
import type { Caller } from '../domain/policy.ts';

export interface Tenant {
  readonly projectId: string;
  readonly userId: string;
  /** Sees and may do everything: the role `admin` in any scope, as Nova's `context_is_admin`. */
  readonly isAdmin: boolean;
  /** May change things: members and above. */
  readonly isMember: boolean;
}

/** Where everything lies that callers without a project make. */
export const DEFAULT_PROJECT = 'default';
/** Of callers whose credentials name no user. */
const DEFAULT_USER = 'admin';

export function tenantOf({ user, userId = user ?? DEFAULT_USER, scope, role, service }: Caller): Tenant {
  const isAdmin = role === 'admin' || service;
  return {
    projectId: scope.kind === 'project' ? scope.id : DEFAULT_PROJECT,
    userId,
    isAdmin,
    isMember: isAdmin || role === 'member' || role === 'manager',
  };
}

/** Whether the tenant may know of what belongs to this project. */
export const sees = (tenant: Tenant, projectId: string): boolean =>
  tenant.isAdmin || tenant.projectId === projectId;
