/**
 * What the façade's servers need of images.
 */
import type { Image } from '../domain/compute.ts';
import type { Tenant } from '../identity/tenant.ts';

export interface ImageService {
  /** An image the tenant may see and use. Undefined when there is none. */
  find(uuid: string, tenant: Tenant): Promise<Image | undefined>;
  /** Images the tenant may see and use. */
  all(tenant: Tenant): Promise<readonly Image[]>;
  /** instance_info that makes a node be deployed from it: image_source, checksum, format, kernel and ramdisk. */
  instanceInfoOf(image: Image): Promise<Readonly<Record<string, string>>>;
  /** Ids of active images whose data need not be fetched or converted before a node can have it. */
  cached(): Promise<ReadonlySet<string>>;
}
