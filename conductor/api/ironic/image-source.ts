/**
 * Checks that a caller who names an image of the image service in instance_info may see it. The conductor, which reads
 * the image for the node, sees every image.
 */
import { IngotError } from '../../domain/errors.ts';
import { storedImageId } from '../../domain/images.ts';
import { imageSourceOf } from '../../domain/instance-info.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { PatchOperation } from '../../domain/json-patch.ts';
import type { Caller } from '../../domain/policy.ts';

const INSTANCE_INFO = '/instance_info';

/** Whether a caller may see an image. */
export type SeesImage = (uuid: string, caller: Caller) => Promise<boolean>;

/** Throws invalidParameter, with the same text for a missing image and one that the caller may not see. */
export async function checkImageSource(
  operations: readonly PatchOperation[],
  caller: Caller | null,
  sees: SeesImage | undefined,
): Promise<void> {
  if (sees === undefined || caller === null) return;
  for (const operation of operations) {
    const source = sourceIn(operation);
    const uuid = source === undefined ? undefined : storedImageId(source);
    if (uuid !== undefined && !(await sees(uuid, caller)))
      throw new IngotError(
        'invalidParameter',
        `instance_info/image_source: there is no image ${uuid} in the image service. To try: openstack image list`,
      );
  }
}

function sourceIn(operation: PatchOperation): string | undefined {
  if (operation.op === 'remove') return undefined;
  const { path, value } = operation;
  if (path === INSTANCE_INFO) return isJsonObject(value) ? imageSourceOf(value) : undefined;
  if (!path.startsWith(`${INSTANCE_INFO}/`)) return undefined;
  return imageSourceOf({ [path.slice(INSTANCE_INFO.length + 1)]: value });
}
