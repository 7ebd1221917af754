/**
 * `image_info` of the commands `standby.prepare_image` and `deploy.execute_deploy_step` with `write_image`
 * (ironic-python-agent's API). `ingot_compressed` is our own addition; other agents ignore it.
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type Json, type JsonObject, textOf } from '../json.ts';

export type HashAlgorithm = 'md5' | 'sha256' | 'sha512';

export interface ImageDigest {
  readonly algorithm: HashAlgorithm;
  /** Lower-case hex. */
  readonly digest: string;
}

/** A file to download, with the digest of the downloaded bytes. */
export interface ImageDownload extends ImageDigest {
  readonly urls: readonly string[];
  readonly encoding: 'none' | 'zstd';
  /** Number of bytes that are written to the disk; null when it is not known beforehand. */
  readonly rawBytes: number | null;
}

/** What an agent uses of it. */
export interface ImageInfo {
  readonly id: string;
  readonly diskFormat: string;
  readonly imageType: string;
  readonly download: ImageDownload;
}

/** A raw whole-disk image that our conductor serves: uncompressed for every agent, and compressed for ours. */
export interface ServedImage {
  readonly id: string;
  readonly nodeUuid: string;
  readonly rawBytes: number;
  readonly plain: ImageDigest & { readonly url: string };
  readonly compressed: ImageDigest & { readonly url: string; readonly sizeBytes: number };
}

export function encodeImageInfo({ id, nodeUuid, rawBytes, plain, compressed }: ServedImage): JsonObject {
  return {
    id,
    urls: [plain.url],
    os_hash_algo: plain.algorithm,
    os_hash_value: plain.digest,
    checksum: null,
    disk_format: 'raw',
    container_format: 'bare',
    stream_raw_images: true,
    image_type: 'whole-disk',
    node_uuid: nodeUuid,
    ingot_compressed: {
      url: compressed.url,
      encoding: 'zstd',
      os_hash_algo: compressed.algorithm,
      os_hash_value: compressed.digest,
      size_bytes: compressed.sizeBytes,
      raw_size_bytes: rawBytes,
    },
  };
}

/** The reason names the invalid field. */
export function decodeImageInfo(info: unknown): Decoded<ImageInfo> {
  if (!isJsonObject(info)) return bad('image_info must be an object');
  const { id, ingot_compressed: compressed } = info;
  if (typeof id !== 'string') return bad('image_info.id is missing');
  const download = isJsonObject(compressed) ? decodeCompressed(compressed) : decodePlain(info);
  if (!download.ok) return download;
  return good({
    id,
    diskFormat: textOf(info['disk_format'] ?? 'raw'),
    imageType: textOf(info['image_type'] ?? 'whole-disk'),
    download: download.value,
  });
}

function decodePlain(info: JsonObject): Decoded<ImageDownload> {
  const urls = info['urls'];
  if (!Array.isArray(urls) || urls.length === 0 || !urls.every(isHttpUrl))
    return bad('image_info.urls must hold at least one http(s) URL');
  const checksum = info['os_hash_value'] ?? info['checksum'];
  if (typeof checksum !== 'string')
    return bad('image_info.os_hash_algo and os_hash_value, or checksum, must be given');
  const named = info['os_hash_value'] == null ? undefined : info['os_hash_algo'];
  const hash = decodeHash(named, checksum);
  return hash.ok ? good({ urls: urls as string[], ...hash.value, encoding: 'none', rawBytes: null }) : hash;
}

function decodeCompressed(info: JsonObject): Decoded<ImageDownload> {
  const { url, encoding, os_hash_algo: algorithm, os_hash_value: digest, raw_size_bytes: rawBytes } = info;
  if (!isHttpUrl(url)) return bad('image_info.ingot_compressed.url must be an http(s) URL');
  if (encoding !== 'zstd')
    return bad(`image_info.ingot_compressed.encoding ${JSON.stringify(encoding)} is not known; zstd is`);
  if (typeof rawBytes !== 'number' || !Number.isSafeInteger(rawBytes) || rawBytes <= 0) {
    return bad('image_info.ingot_compressed.raw_size_bytes must be a whole number of bytes');
  }
  const hash = decodeHash(algorithm, textOf(digest ?? ''));
  return hash.ok ? good({ urls: [url], ...hash.value, encoding, rawBytes }) : hash;
}

function isHttpUrl(value: Json | undefined): value is string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}

const HEX_LENGTH: Readonly<Record<HashAlgorithm, number>> = { md5: 32, sha256: 64, sha512: 128 };

/** The algorithm that is named, or the one with this length of digest. */
function decodeHash(named: Json | undefined, digest: string): Decoded<ImageDigest> {
  const found = (Object.entries(HEX_LENGTH) as [HashAlgorithm, number][]).find(
    ([algorithm, length]) => digest.length === length && (named == null || named === algorithm),
  );
  if (found === undefined || !/^[0-9a-f]+$/i.test(digest)) {
    return bad('the digest in image_info must be hex, of the length of md5, sha256 or sha512');
  }
  return good({ algorithm: found[0], digest: digest.toLowerCase() });
}
