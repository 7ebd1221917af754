/**
 * What servers of the compute façade need from the image service.
 */
import type { Image } from '../domain/compute.ts';
import type { Tenant } from '../identity/tenant.ts';

export interface ImageService {
  /** An image that the tenant may see and use; undefined when there is none. */
  find(uuid: string, tenant: Tenant): Promise<Image | undefined>;
  /** The images that the tenant may see and use. */
  all(tenant: Tenant): Promise<readonly Image[]>;
  /** The instance_info that makes a node deploy this image: image_source, checksum and format. */
  instanceInfoOf(image: Image): Promise<Readonly<Record<string, string>>>;
  /** Ids of active images that the image cache need not fetch or convert before a deployment. */
  cached(): Promise<ReadonlySet<string>>;
}
