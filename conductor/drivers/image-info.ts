/**
 * The description of a ready image for the agent of a node.
 */
import { encodeImageInfo } from '@ingot/shared/agent/image-info.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { ReadyImage } from '../domain/images.ts';
import type { JsonObject } from '../domain/json.ts';

export function imageInfo(context: StepContext, image: ReadyImage): JsonObject {
  const { plainUrl, tlsUrl } = context.services;
  const base = context.node.agent?.proven === true ? tlsUrl : plainUrl;
  const url = (path: string): string => new URL(path, base ?? undefined).href;
  const paths = context.images.pathsFor(image, context.node);
  const { id, sizeBytes, digest, compressed } = image;
  return encodeImageInfo({
    id,
    nodeUuid: context.node.uuid,
    rawBytes: sizeBytes,
    plain: { url: url(paths.raw), algorithm: digest.algorithm, digest: digest.value },
    compressed: {
      url: url(paths.compressed),
      algorithm: compressed.digest.algorithm,
      digest: compressed.digest.value,
      sizeBytes: compressed.sizeBytes,
    },
  });
}
