/**
 * Who may see, list and change which image, by Glance's default policies: an image that a project may not see is not
 * found.
 */

import type { Image, ImageMember } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { Tenant } from '../identity/tenant.ts';

export const memberOf = (image: Image, projectId: string): ImageMember | undefined =>
  image.visibility === 'shared' ? image.members.find(({ memberId }) => memberId === projectId) : undefined;

export const isOwner = (tenant: Tenant, image: Image): boolean =>
  image.owner !== null && image.owner === tenant.projectId;

export function canSee(tenant: Tenant, image: Image): boolean {
  if (tenant.isAdmin || isOwner(tenant, image)) return true;
  if (image.visibility === 'public' || image.visibility === 'community') return true;
  return memberOf(image, tenant.projectId) !== undefined;
}

/** Whether a list without filters shows the image. */
export function isListed(tenant: Tenant, image: Image): boolean {
  if (image.isHidden || !canSee(tenant, image)) return false;
  if (isOwner(tenant, image) || image.visibility === 'public') return true;
  if (image.visibility === 'community') return false;
  return tenant.isAdmin || memberOf(image, tenant.projectId)?.status === 'accepted';
}

export const missingImage = (uuid: string): IngotError =>
  new IngotError('notFound', `No image found with ID ${uuid.slice(0, 255)}`);

/** Throws forbidden. */
export function checkMayChange(tenant: Tenant, image: Image): void {
  if (tenant.isAdmin || isOwner(tenant, image)) return;
  throw new IngotError(
    'forbidden',
    `Image ${image.uuid} belongs to another project: only that project and administrators may change it.`,
  );
}

/** Only administrators may make an image public. Throws forbidden. */
export function checkMayPublish(tenant: Tenant, visibility: Image['visibility'] | undefined): void {
  if (visibility !== 'public' || tenant.isAdmin) return;
  throw new IngotError(
    'forbidden',
    'Only administrators may make an image public. Share it with projects by its members, or make it a community image.',
  );
}

/** Throws forbidden. */
export function checkMayOwn(tenant: Tenant, owner: string | null | undefined): void {
  if (owner === undefined || tenant.isAdmin || owner === tenant.projectId) return;
  throw new IngotError(
    'forbidden',
    `You are not permitted to create images owned by '${String(owner)}': an image belongs to the project that creates it.`,
  );
}

/** Throws forbidden: only administrators may read the data of a deactivated image. */
export function checkMayRead(tenant: Tenant, image: Image): void {
  if (image.status !== 'deactivated' || tenant.isAdmin) return;
  throw new IngotError(
    'forbidden',
    `The requested image has been deactivated. Image data download is forbidden until it is reactivated.`,
  );
}
