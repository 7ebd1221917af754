/**
 * `instance_info` of a node, parsed: the image of its instance and how it boots. An invalid part fails only the
 * callers that need it.
 */
import { bootModeIn, parseCapabilities } from './capabilities.ts';
import { IngotError } from './errors.ts';
import { DIGEST_HEX_LENGTH, type Digest, type DigestAlgorithm, type ImageRequest } from './images.ts';
import type { Json, JsonObject } from './json.ts';
import type { BootMode } from './node.ts';

/** A parsed value, or the reason why it is invalid, naming the field. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: IngotError };

export interface InstanceInfo {
  /** image_source, its digest (image_os_hash_*, image_checksum) and image_disk_format. */
  readonly image: Checked<ImageRequest>;
  /** The boot mode that its capabilities ask for. */
  readonly bootMode: BootMode | undefined;
  /** base64 of a gzipped image, a URL, or an object to build one from; null for no config drive. */
  readonly configDrive: Json;
  /** Kernel arguments of the ramdisk. */
  readonly kernelAppendParams: Checked<string | undefined>;
  /** Traits that the instance asks for; deploy templates are named like them. */
  readonly traits: readonly string[];
  /** The instance's name as Nova shows it. */
  readonly displayName: string | undefined;
  /** Hints, which are checked in conductor/domain/root-device.ts; null for none. */
  readonly rootDevice: Json;
}

export function parseInstanceInfo(info: JsonObject): InstanceInfo {
  return {
    image: checked(() => parseImage(info)),
    bootMode: bootModeIn(parseCapabilities(info['capabilities'])),
    configDrive: info['configdrive'] ?? null,
    kernelAppendParams: checked(() => text(info, 'kernel_append_params')),
    traits: textsOf(info['traits']),
    displayName: textOf(info['display_name']),
    rootDevice: info['root_device'] ?? null,
  };
}

/** The image that instance_info names, however wrong the rest is. */
export const imageSourceOf = (info: JsonObject): string | undefined => textOf(info['image_source']);

/** instance_info with another config drive, or with null without one. */
export function withConfigDrive(info: JsonObject, configDrive: Json): JsonObject {
  const { configdrive: _, ...rest } = info;
  return configDrive === null ? rest : { ...info, configdrive: configDrive };
}

/** instance_info with these traits, or with null without any. */
export function withTraits(info: JsonObject, traits: readonly string[] | null): JsonObject {
  const { traits: _, ...rest } = info;
  return traits === null ? rest : { ...info, traits: [...traits] };
}

/** Returns the value. Throws when the part is invalid. */
export function required<T>(part: Checked<T>): T {
  if (part.ok) return part.value;
  throw part.error;
}

function checked<T>(parse: () => T): Checked<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    if (error instanceof IngotError) return { ok: false, error };
    throw error;
  }
}

function parseImage(info: JsonObject): ImageRequest {
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

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

function text(info: JsonObject, key: string): string | undefined {
  const value = info[key];
  if (value == null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new IngotError('invalidParameter', `instance_info.${key} must be a string`);
}
