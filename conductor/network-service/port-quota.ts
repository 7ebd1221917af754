/**
 * How many ports a project may have. Addresses of a real wire are few: without a limit one project could take them all.
 */
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import type { Tenant } from '../identity/tenant.ts';

/** Neutron's default. */
export const PORT_QUOTA = 500;

/** Administrators are not counted: they build for others. */
export async function hasPortsLeft(store: Store, tenant: Tenant, wanted: number): Promise<boolean> {
  if (tenant.isAdmin) return true;
  const ports = await listAll(store.compute.networkPorts, { projectId: tenant.projectId });
  return ports.length + wanted <= PORT_QUOTA;
}
