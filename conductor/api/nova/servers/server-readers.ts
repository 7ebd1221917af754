/**
 * Types of values that several requests about servers have. Nova API reference, with its limits.
 */
import { IngotError } from '../../../domain/errors.ts';
import { formatAddress, parseAddress } from '../../../domain/ip-address.ts';
import { QUOTAS } from '../../../servers/quotas.ts';
import { quote } from '../../kit/quote.ts';
import { dictionary, list, mapped, object, oneOf, optional, type Reader, text } from '../../kit/readers.ts';
import { METADATA_KEY } from '../request.ts';

export const MAX_TAGS = 50;

/** In canonical form. */
export const ipAddress = (version?: 4 | 6): Reader<string> => ({
  schema: { type: 'string', ...(version === undefined ? {} : { format: `ipv${version}` }) },
  read(value, at) {
    const found = typeof value === 'string' ? parseAddress(value) : undefined;
    if (found !== undefined && (version ?? found.version) === found.version) return formatAddress(found);
    return at.refuse(value, `${quote(value)} is not an 'ipv${version ?? '4'}'`);
  },
});

/** Addresses that users set for their information. */
export const ACCESS_FIELDS = {
  accessIPv4: optional(ipAddress(4)),
  accessIPv6: optional(ipAddress(6)),
};

/** The given ones of these, with the names of server fields. */
export const accessOf = (asked: {
  readonly accessIPv4?: string;
  readonly accessIPv6?: string;
}): { readonly accessIpv4?: string; readonly accessIpv6?: string } => ({
  ...(asked.accessIPv4 === undefined ? {} : { accessIpv4: asked.accessIPv4 }),
  ...(asked.accessIPv6 === undefined ? {} : { accessIpv6: asked.accessIPv6 }),
});

/** With AUTO, Nova would grow the image's partition to the flavor's disk, so it is rejected. */
export const diskConfig: Reader<'MANUAL'> = {
  schema: { enum: ['MANUAL'] },
  read: (value, at) =>
    DISK_CONFIG.read(value, at) === 'MANUAL'
      ? 'MANUAL'
      : at.refuse(
          value,
          "AUTO is not supported by bare metal: images are written as they are; ask for 'MANUAL'",
        ),
};
const DISK_CONFIG = oneOf(['AUTO', 'MANUAL']);
/** Any printable text, because the password is for the user's own system. */
export const adminPass: Reader<string> = {
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  read(value, at) {
    if (typeof value !== 'string') return at.refuse('***', "the value is not of type 'string'");
    return value.length >= 1 && value.length <= 255
      ? value
      : at.refuse('***', 'it must have 1 to 255 characters');
  },
};
export const TAG_PATTERN = /^[^,/]{1,60}$/;
export const tag = text({ min: 1, max: 60, pattern: TAG_PATTERN });
export const tags = list(tag, { max: MAX_TAGS });

const METADATA = dictionary(METADATA_KEY, text({ max: 255 }));

/** Throws forbidden for too many items, as for quotas. */
export const metadata = mapped(METADATA, (read) => {
  checkMetadataCount(read);
  return read;
});

/** Throws forbidden. */
export function checkMetadataCount(items: object): void {
  if (Object.keys(items).length <= QUOTAS.metadataItems) return;
  throw new IngotError('forbidden', `Maximum number of metadata items exceeds ${QUOTAS.metadataItems}`);
}

/** Standard alphabet, padded, line breaks allowed. RFC 4648 section 4. */
export function isBase64(value: string): boolean {
  const data = value.replaceAll(/[\r\n]/g, '');
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** Errors never repeat the value, because it may contain passwords. */
export const base64 = (max: number, refusal: string): Reader<string> => ({
  schema: { type: 'string', contentEncoding: 'base64' },
  read(value, at) {
    if (typeof value !== 'string') return at.refuse('***', "the value is not of type 'string'");
    if (value.length > max) return at.refuse('***', `it is longer than ${max} characters`);
    return isBase64(value) ? value : at.refuse('***', refusal);
  },
});

export const userData = base64(65_535, 'User data needs to be valid base 64.');

const FILES = list(
  object({
    path: text({ min: 1, max: QUOTAS.filePathBytes }),
    contents: base64(Number.POSITIVE_INFINITY, 'it is not base64'),
  }),
);

/** Injected files, until API 2.56. Throws forbidden for too many or too large files, as for quotas. */
export const personality = mapped(FILES, (files) => {
  if (files.length > QUOTAS.files) throw new IngotError('forbidden', 'Personality file limit exceeded');
  if (files.some(({ contents }) => Buffer.byteLength(contents, 'base64') > QUOTAS.fileBytes)) {
    throw new IngotError('forbidden', 'Personality file content limit exceeded');
  }
  return files;
});

/** Certificates are not supported: images are checked by their digest. Clients send null for none. */
export const noCertificates: Reader<null> = {
  schema: { type: 'null' },
  read: (value, at) =>
    value === null ? null : at.refuse(value, 'trusted image certificates are not supported by bare metal'),
};
