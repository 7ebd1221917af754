/**
 * How many ports a project may have. Without a limit one project could take all addresses of a network.
 */
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';
import type { Tenant } from '../identity/tenant.ts';

/** Neutron's default. */
export const PORT_QUOTA = 500;

/** Administrators have no limit: they also create ports for other projects. */
export async function hasPortsLeft(store: Store, tenant: Tenant, wanted: number): Promise<boolean> {
  if (tenant.isAdmin) return true;
  const ports = await listAll(store.compute.networkPorts, { projectId: tenant.projectId });
  return ports.length + wanted <= PORT_QUOTA;
}
