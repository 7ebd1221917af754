/**
 * Finds what a request for a server names, if the tenant may use it: flavor, image, key pair and server group.
 */
import type { Flavor, Image, Keypair, Server, ServerGroup } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Tenant } from '../../../identity/tenant.ts';
import { checkImageFits } from '../../../servers/image-fit.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { isAccessible } from '../catalog/flavor-lookup.ts';
import { byUuid } from '../page.ts';

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);

/** By id, or by a link that ends with it. Throws invalidParameter. */
export async function findFlavor(
  ref: string | number,
  tenant: Tenant,
  { store }: ComputeDeps,
): Promise<Flavor> {
  const id = idOfLink(String(ref));
  const flavor = await byUuid(store.compute.flavors, id);
  if (flavor === undefined || flavor.isDisabled || !(tenant.isAdmin || isAccessible(flavor, tenant))) {
    throw wrong(`Flavor ${id.slice(0, 255)} could not be found.`);
  }
  return flavor;
}

/** An active image that fits the flavor. Throws invalidParameter with Nova's text. */
export async function findUsableImage(
  uuid: string,
  flavor: Pick<Flavor, 'ramMb' | 'rootGb'>,
  tenant: Tenant,
  { images }: ComputeDeps,
): Promise<Image> {
  const image = await images.find(uuid, tenant);
  if (image === undefined) throw wrong('Can not find requested image');
  checkImageFits(image, flavor);
  return image;
}

/** Key pairs belong to users, not projects. Throws invalidParameter. */
export async function findKeypair(name: string, tenant: Tenant, { store }: ComputeDeps): Promise<Keypair> {
  const [keypair] = await store.compute.keypairs.list({ userId: tenant.userId, name }, ONE);
  if (keypair === undefined) throw wrong('Invalid key_name provided.');
  return keypair;
}

/** The key pair fields of a server; null for none. */
export const keyOf = (keypair: Keypair | null): Pick<Server, 'keyName' | 'publicKey'> => ({
  keyName: keypair?.name ?? null,
  publicKey: keypair?.publicKey ?? null,
});

/** The group of the hint `group`. Throws invalidParameter. */
export async function findGroup(
  hint: unknown,
  tenant: Tenant,
  { store }: ComputeDeps,
): Promise<ServerGroup | undefined> {
  if (typeof hint !== 'string') return undefined;
  const group = await store.compute.serverGroups.find(hint);
  if (group?.projectId !== tenant.projectId) throw wrong(`Instance group ${hint} could not be found.`);
  return group;
}

const idOfLink = (ref: string): string => (ref.split(/[?#]/, 1)[0] ?? '').split('/').at(-1) ?? '';
