/**
 * `image_info` of prepare_image and write_image (features D.2), parsed.
 */
export type HashAlgorithm = 'md5' | 'sha256' | 'sha512';

/** One thing to fetch, with the digest of exactly the bytes that are fetched. */
export interface ImageDownload {
  readonly urls: readonly string[];
  readonly algorithm: HashAlgorithm;
  /** Lower-case hex. */
  readonly digest: string;
  readonly encoding: 'none' | 'zstd';
  /** Bytes that will lie on the disk, if it is known beforehand. */
  readonly rawBytes: number | null;
}

export interface ImageInfo {
  readonly id: string;
  readonly diskFormat: string;
  readonly imageType: string;
  readonly download: ImageDownload;
}

const HEX_LENGTH: Readonly<Record<HashAlgorithm, number>> = { md5: 32, sha256: 64, sha512: 128 };

type Fields = Readonly<Record<string, unknown>>;

/** Or a sentence that names the field which is wrong. */
export function parseImageInfo(value: unknown): ImageInfo | string {
  if (typeof value !== 'object' || value === null) return 'image_info must be an object';
  const info = value as Fields;
  if (typeof info['id'] !== 'string') return 'image_info.id is missing';
  const compressed = info['ingot_compressed'];
  const download =
    typeof compressed === 'object' && compressed !== null
      ? parseCompressed(compressed as Fields)
      : parsePlain(info);
  if (typeof download === 'string') return download;
  return {
    id: info['id'],
    diskFormat: String(info['disk_format'] ?? 'raw'),
    imageType: String(info['image_type'] ?? 'whole-disk'),
    download,
  };
}

function parsePlain(info: Fields): ImageDownload | string {
  const urls = info['urls'];
  if (!Array.isArray(urls) || urls.length === 0 || !urls.every(isHttpUrl))
    return 'image_info.urls must hold at least one http(s) URL';
  const checksum = info['os_hash_value'] ?? info['checksum'];
  if (typeof checksum !== 'string')
    return 'image_info.os_hash_algo and os_hash_value, or checksum, must be given';
  const named = info['os_hash_value'] == null ? undefined : info['os_hash_algo'];
  const hash = parseHash(named, checksum);
  return typeof hash === 'string'
    ? hash
    : { urls: urls as string[], ...hash, encoding: 'none', rawBytes: null };
}

function parseCompressed(info: Fields): ImageDownload | string {
  const { url, encoding, os_hash_algo: algorithm, os_hash_value: digest, raw_size_bytes: rawBytes } = info;
  if (!isHttpUrl(url)) return 'image_info.ingot_compressed.url must be an http(s) URL';
  if (encoding !== 'zstd')
    return `image_info.ingot_compressed.encoding ${JSON.stringify(encoding)} is not known; zstd is`;
  if (typeof rawBytes !== 'number' || !Number.isSafeInteger(rawBytes) || rawBytes <= 0) {
    return 'image_info.ingot_compressed.raw_size_bytes must be a whole number of bytes';
  }
  const hash = parseHash(algorithm, String(digest));
  return typeof hash === 'string' ? hash : { urls: [url], ...hash, encoding, rawBytes };
}

function isHttpUrl(value: unknown): value is string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}

/** The algorithm as named, or by the length of the digest. */
function parseHash(named: unknown, digest: string): { algorithm: HashAlgorithm; digest: string } | string {
  const found = (Object.entries(HEX_LENGTH) as [HashAlgorithm, number][]).find(
    ([algorithm, length]) => digest.length === length && (named == null || named === algorithm),
  );
  if (found === undefined || !/^[0-9a-f]+$/i.test(digest)) {
    return 'the digest in image_info must be hex of md5, sha256 or sha512, as long as its algorithm makes it';
  }
  return { algorithm: found[0], digest: digest.toLowerCase() };
}
