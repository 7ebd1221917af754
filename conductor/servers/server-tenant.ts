/**
 * In whose name work on a server is done when nobody asks any more: its owner's.
 */
import type { Server } from '../domain/compute.ts';
import type { Tenant } from '../identity/tenant.ts';

export const tenantOfServer = ({ projectId, userId }: Pick<Server, 'projectId' | 'userId'>): Tenant => ({
  projectId,
  userId,
  isAdmin: false,
  isMember: true,
});
