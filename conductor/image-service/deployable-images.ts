/**
 * Images as servers and nodes need them: from what a node is deployed, and where the image cache finds the data.
 */
import type { Image } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import type { ImageRequest, StoredImages } from '../domain/images.ts';
import type { ImageServiceDeps } from './deps.ts';
import { canSee, isListed } from './image-access.ts';
import type { ImageFiles } from './image-files.ts';
import type { ImageRecords } from './image-records.ts';
import type { ImageService } from './image-service.ts';

/** The formats that deployment writes to disks. */
const DEPLOYABLE: readonly (string | null)[] = ['raw', 'qcow2'];
/** Properties of partition images, which contain one file system and boot a separate kernel. */
const PARTITION_PROPERTIES = ['kernel_id', 'ramdisk_id'] as const;

export function createImageServicePort(
  { prepared }: Pick<ImageServiceDeps, 'prepared'>,
  records: ImageRecords,
): ImageService {
  return {
    async find(uuid, tenant) {
      const image = await records.find(uuid);
      return image !== undefined && canSee(tenant, image) ? image : undefined;
    },

    async all(tenant) {
      return (await records.all()).filter((image) => isListed(tenant, image));
    },

    async instanceInfoOf(image) {
      checkDeployable(image);
      return {
        image_source: image.uuid,
        image_os_hash_algo: image.osHashAlgo ?? '',
        image_os_hash_value: image.osHashValue ?? '',
        image_disk_format: image.diskFormat ?? '',
      };
    },

    async cached() {
      const requests = (await records.all('active')).flatMap(requestFor);
      return new Set((await prepared(requests)).map(({ source }) => source));
    },
  };
}

/** The image cache's request that the instance_info above leads to. */
function requestFor({ uuid, diskFormat, osHashValue }: Image): ImageRequest[] {
  if (osHashValue === null || diskFormat === null || !DEPLOYABLE.includes(diskFormat)) return [];
  return [{ source: uuid, digest: { algorithm: 'sha512', value: osHashValue }, diskFormat }];
}

/** Throws conflict and unsupported. */
function checkDeployable(image: Image): void {
  const { uuid, status, diskFormat, properties } = image;
  if (status !== 'active')
    throw new IngotError('conflict', `Image ${uuid} is not active but ${status}: upload its data first.`);
  if (!DEPLOYABLE.includes(diskFormat))
    throw new IngotError(
      'unsupported',
      `Image ${uuid} has the disk_format ${String(diskFormat)}; machines can be deployed from raw and qcow2 images.`,
    );
  const partition = PARTITION_PROPERTIES.find((name) => (properties[name] ?? '') !== '');
  if (partition !== undefined)
    throw new IngotError(
      'unsupported',
      `Image ${uuid} is a partition image (it has ${partition}); machines are deployed from whole-disk images, which contain their own kernel.`,
    );
}

export function createStoredImages(records: ImageRecords, files: ImageFiles): StoredImages {
  return {
    async locate(uuid) {
      const failure = (what: string): IngotError =>
        new IngotError('imageFailure', `instance_info/image_source: ${what}`);
      const image = await records.find(uuid);
      if (image === undefined)
        throw failure(`there is no image ${uuid} in the image service. To try: openstack image list`);
      if (image.status !== 'active' || image.osHashValue === null)
        throw failure(`image ${uuid} is not active but ${image.status}`);
      return {
        path: files.path(uuid),
        digest: { algorithm: 'sha512', value: image.osHashValue },
        diskFormat: image.diskFormat,
      };
    },
  };
}
