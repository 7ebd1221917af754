/**
 * Flavors that a tenant may see: public ones and those shared with its project.
 */
import type { Flavor } from '../../../domain/compute.ts';
import { notFound } from '../../../domain/errors.ts';
import type { Store } from '../../../domain/store/store.ts';
import type { Tenant } from '../../../identity/tenant.ts';
import { byUuid } from '../page.ts';

export const isAccessible = ({ isPublic, projects }: Flavor, { projectId }: Tenant): boolean =>
  isPublic || projects.includes(projectId);

/** Only by id, never by name. Throws notFound. */
export async function flavorOf(
  { compute }: Pick<Store, 'compute'>,
  id: string,
  tenant: Tenant,
): Promise<Flavor> {
  const flavor = await byUuid(compute.flavors, id);
  if (flavor !== undefined && (tenant.isAdmin || isAccessible(flavor, tenant))) return flavor;
  throw notFound('Flavor', id);
}
