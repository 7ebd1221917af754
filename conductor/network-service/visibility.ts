/** Which networks a project knows of and may put its ports on. */
import type { Network } from '../domain/compute.ts';
import { sees, type Tenant } from '../identity/tenant.ts';

/** External ones are shown to all, as in Neutron. */
export const seesNetwork = (tenant: Tenant, network: Network): boolean =>
  sees(tenant, network.projectId) || network.isShared || network.isExternal;

/** Networks that servers get when none is named: the project's own and those for all, for administrators too. */
export const isAvailable = ({ projectId }: Tenant, network: Network): boolean =>
  network.projectId === projectId || network.isShared;

/** Servers can not be attached to an external network unless it is shared. */
export const mayPlugInto = (tenant: Tenant, network: Network): boolean =>
  tenant.isAdmin || network.projectId === tenant.projectId || network.isShared;
