/**
 * instance_info as an image request, and a ready image as the agent's image_info.
 */
import { encodeImageInfo } from '@ingot/shared/agent/image-info.ts';
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import {
  DIGEST_HEX_LENGTH,
  type Digest,
  type DigestAlgorithm,
  type ImageRequest,
  type ReadyImage,
} from '../domain/images.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';

/** Throws IngotError naming the instance_info field. */
export function parseImageRequest(node: Node): ImageRequest {
  const info = node.instanceInfo;
  const source = text(info, 'image_source');
  if (source === undefined) {
    throw new IngotError(
      'missingParameter',
      'instance_info.image_source is missing: give the URL of the image to deploy',
    );
  }
  const diskFormat = text(info, 'image_disk_format');
  return {
    source,
    ...parseDigest(info),
    ...(diskFormat === undefined ? {} : { diskFormat }),
  };
}

function parseDigest(info: JsonObject): Pick<ImageRequest, 'digest' | 'checksumUrl' | 'digestField'> {
  const algorithm = text(info, 'image_os_hash_algo');
  const value = text(info, 'image_os_hash_value');
  if ((algorithm === undefined) !== (value === undefined)) {
    throw new IngotError(
      'missingParameter',
      'instance_info.image_os_hash_algo and instance_info.image_os_hash_value must be given together',
    );
  }
  if (algorithm !== undefined && value !== undefined) {
    const digestField = 'image_os_hash_value';
    return { digest: digestOf(digestField, value, algorithm), digestField };
  }
  const checksum = text(info, 'image_checksum');
  if (checksum === undefined) return {};
  const digestField = 'image_checksum';
  if (/^https?:\/\//i.test(checksum)) return { checksumUrl: checksum, digestField };
  return { digest: digestOf(digestField, checksum), digestField };
}

/** By its length when no algorithm is named: 32 hex digits are md5, 64 sha256, 128 sha512. */
function digestOf(field: string, value: string, named?: string): Digest {
  const algorithms = Object.entries(DIGEST_HEX_LENGTH) as [DigestAlgorithm, number][];
  const candidates = algorithms.filter(([algorithm]) => named === undefined || algorithm === named);
  if (candidates.length === 0) {
    throw new IngotError(
      'invalidParameter',
      `instance_info.image_os_hash_algo is ${JSON.stringify(named)}; use one of ${Object.keys(DIGEST_HEX_LENGTH).join(', ')}`,
    );
  }
  const found = candidates.find(([, length]) => value.length === length);
  if (found !== undefined && /^[0-9a-f]+$/i.test(value)) {
    return { algorithm: found[0], value: value.toLowerCase() };
  }
  const kinds = candidates.map(([algorithm, length]) => `${algorithm} (${length} hex digits)`).join(' or ');
  throw new IngotError(
    'invalidParameter',
    `instance_info.${field} must be the ${kinds} of the image file, but has ${value.length} characters: copy it from where the image is published`,
  );
}

function text(info: JsonObject, key: string): string | undefined {
  const value = info[key];
  if (value == null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new IngotError('invalidParameter', `instance_info.${key} must be a string`);
}

/** A ready image as the agent of the node is told of it. */
export function imageInfo(context: StepContext, image: ReadyImage): JsonObject {
  const url = (path: string): string => new URL(path, context.services.agentApiUrl ?? undefined).href;
  const { id, sizeBytes, path, digest, compressed } = image;
  return encodeImageInfo({
    id,
    nodeUuid: context.node.uuid,
    rawBytes: sizeBytes,
    plain: { url: url(path), algorithm: digest.algorithm, digest: digest.value },
    compressed: {
      url: url(compressed.path),
      algorithm: compressed.digest.algorithm,
      digest: compressed.digest.value,
      sizeBytes: compressed.sizeBytes,
    },
  });
}
