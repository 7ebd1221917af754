/** Which networks a project may see and put its ports on. */
import type { Network } from '../domain/compute.ts';
import { sees, type Tenant } from '../identity/tenant.ts';

/** As in Neutron, everybody sees external networks. */
export const seesNetwork = (tenant: Tenant, network: Network): boolean =>
  sees(tenant, network.projectId) || network.isShared || network.isExternal;

/**
 * Networks that a server may get when the request names none: the project's own and shared ones. The same for
 * administrators.
 */
export const isAvailable = ({ projectId }: Tenant, network: Network): boolean =>
  network.projectId === projectId || network.isShared;

/** Servers can not be attached to an external network unless it is shared. */
export const mayPlugInto = (tenant: Tenant, network: Network): boolean =>
  tenant.isAdmin || network.projectId === tenant.projectId || network.isShared;
