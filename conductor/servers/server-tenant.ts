/**
 * Background work on a server runs in the name of the server's owner.
 */
import type { Server } from '../domain/compute.ts';
import type { Tenant } from '../identity/tenant.ts';

export const tenantOfServer = ({ projectId, userId }: Pick<Server, 'projectId' | 'userId'>): Tenant => ({
  projectId,
  userId,
  isAdmin: false,
  isMember: true,
});
