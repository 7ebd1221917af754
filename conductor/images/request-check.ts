/**
 * Checks an image request without fetching anything. Every error names its instance_info field.
 */
import { IngotError } from '../domain/errors.ts';
import { type ImageRequest, type StoredImages, storedImageId } from '../domain/images.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { checkFileUrl } from './file-source.ts';
import { isDecodable } from './http-source.ts';

export interface RequestRules {
  /** Directories for `file://` sources. */
  readonly fileAllow: readonly string[];
  /** Default false. */
  readonly allowMd5?: boolean;
  /** For sources that are UUIDs, which are refused without it. */
  readonly stored?: StoredImages;
  /** Why a URL may not be asked; undefined if it may, as far as it is known without a name server. */
  readonly refusal: (url: URL) => string | undefined;
}

const SCHEMES = ['http:', 'https:', 'file:'];
const FORMATS = ['raw', 'qcow2'];

/** Called again when digest and format are known. Throws invalidParameter or missingParameter. */
export function checkRequest(image: ImageRequest, rules: RequestRules): void {
  const { source, diskFormat, checksumUrl } = image;
  const scheme = schemeOf(source);
  const isStored = rules.stored !== undefined && storedImageId(source) !== undefined;
  if (!isStored && !SCHEMES.includes(scheme ?? '')) {
    const given = scheme === undefined ? 'not a URL' : `a URL of scheme "${scheme.slice(0, -1)}"`;
    throw invalid(
      'image_source',
      `it must be an http, https or file URL, and is ${given}. Give the whole URL`,
    );
  }
  if (scheme === 'file:') checkFileUrl(source, rules.fileAllow);
  else if (!isStored && image.digest === undefined && checksumUrl === undefined) {
    throw new IngotError(
      'missingParameter',
      'instance_info/image_checksum is missing: give it, or image_os_hash_algo and image_os_hash_value, for an http(s) image',
    );
  }
  if (checksumUrl !== undefined && !['http:', 'https:'].includes(schemeOf(checksumUrl) ?? ''))
    throw invalid('image_checksum', 'it must be a digest, or the http(s) URL of a checksum file');
  if (diskFormat !== undefined && !FORMATS.includes(diskFormat))
    throw invalid('image_disk_format', `it must be ${FORMATS.join(' or ')}, not ${diskFormat}`);
  checkDigest(image, rules);
  if (!isStored && scheme !== 'file:') checkAddress('image_source', source, rules);
  if (checksumUrl !== undefined) checkAddress('image_checksum', checksumUrl, rules);
}

function checkAddress(field: string, url: string, { refusal }: RequestRules): void {
  const why = refusal(new URL(url));
  if (why !== undefined) throw invalid(field, `${redactedUrl(url)} cannot be fetched: ${why}`);
}

function checkDigest(image: ImageRequest, { allowMd5 = false }: RequestRules): void {
  if (image.digest?.algorithm !== 'md5' || allowMd5) return;
  throw invalid(
    image.digestField ?? 'image_checksum',
    'md5 digests are not accepted, because md5 is not collision-resistant. Give a sha256 or sha512 in image_os_hash_algo and image_os_hash_value, or allow md5 by images.allow_md5',
  );
}

const schemeOf = (url: string): string | undefined =>
  isDecodable(url) ? URL.parse(url)?.protocol : undefined;

const invalid = (field: string, what: string): IngotError =>
  new IngotError('invalidParameter', `instance_info/${field}: ${what}`);
