/**
 * The fields of an image on the wire, as one table: JSON Schema, place in the record, and whether it may be written.
 * Glance API v2.7. Bodies, patches, answers and the schema document derive from it.
 */
import { IMAGE_STATUSES, type Image } from '../../domain/compute.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { ImagePatch } from '../../image-service/image-records.ts';
import { flag, list, mapped, oneOf, type Reader, text, wholeNumber } from '../kit/readers.ts';
import type { JsonSchema } from '../kit/route-doc.ts';
import { orNull } from './image-readers.ts';

export const DISK_FORMATS = [
  'ami',
  'ari',
  'aki',
  'vhd',
  'vhdx',
  'vmdk',
  'raw',
  'qcow2',
  'vdi',
  'ploop',
  'iso',
] as const;
export const CONTAINER_FORMATS = ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'] as const;
export const VISIBILITIES = ['public', 'private', 'shared', 'community'] as const;

const MAX_TEXT = 255;
const MAX_INTEGER = 2 ** 31 - 1;

type FieldSchema = JsonSchema & { readonly description: string };

interface WritableField {
  readonly key: keyof ImagePatch & keyof Image;
  readonly value: Reader<Json>;
  readonly description: string;
  /** May be changed only while the image waits for its data. */
  readonly untilData?: boolean;
}

interface ReadOnlyField {
  readonly show: (image: Image) => Json;
  readonly schema: FieldSchema;
}

const wellFormed = mapped(text({ max: MAX_TEXT }), (value, at) =>
  value.isWellFormed() ? value : at.refuse(value, 'must be well-formed text'),
);
const maybeText = orNull(wellFormed);
const count = wholeNumber(0, MAX_INTEGER);

export const WRITABLE: Readonly<Record<string, WritableField>> = {
  name: { key: 'name', value: maybeText, description: 'Descriptive name for the image' },
  visibility: {
    key: 'visibility',
    value: oneOf(VISIBILITIES),
    description: 'Scope of image accessibility',
  },
  owner: { key: 'owner', value: maybeText, description: 'Owner of the image' },
  protected: { key: 'isProtected', value: flag, description: 'If true, image will not be deletable.' },
  os_hidden: {
    key: 'isHidden',
    value: flag,
    description: 'If true, image will not appear in default image list response.',
  },
  disk_format: {
    key: 'diskFormat',
    value: orNull(oneOf(DISK_FORMATS)),
    description: 'Format of the disk',
    untilData: true,
  },
  container_format: {
    key: 'containerFormat',
    value: orNull(oneOf(CONTAINER_FORMATS)),
    description: 'Format of the container',
    untilData: true,
  },
  min_disk: {
    key: 'minDiskGb',
    value: count,
    description: 'Amount of disk space (in GB) required to boot image.',
  },
  min_ram: { key: 'minRamMb', value: count, description: 'Amount of ram (in MB) required to boot image.' },
  tags: {
    key: 'tags',
    value: list(wellFormed),
    description: 'List of strings related to the image',
  },
};

const number = (description: string): FieldSchema => ({ type: ['null', 'integer'], description });
const shown = (description: string): FieldSchema => ({ type: ['null', 'string'], description });

/** `id` may be set when the image is created. */
export const READ_ONLY: Readonly<Record<string, ReadOnlyField>> = {
  id: { show: ({ uuid }) => uuid, schema: { type: 'string', description: 'An identifier for the image' } },
  status: {
    show: ({ status }) => status,
    schema: { type: 'string', enum: IMAGE_STATUSES, description: 'Status of the image' },
  },
  size: { show: ({ sizeBytes }) => sizeBytes, schema: number('Size of image file in bytes') },
  virtual_size: {
    show: ({ virtualSizeBytes }) => virtualSizeBytes,
    schema: number('Virtual size of image in bytes'),
  },
  checksum: { show: ({ checksum }) => checksum, schema: shown('md5 hash of image contents.') },
  os_hash_algo: {
    show: ({ osHashAlgo }) => osHashAlgo,
    schema: shown('Algorithm to calculate the os_hash_value'),
  },
  os_hash_value: {
    show: ({ osHashValue }) => osHashValue,
    schema: shown('Hexdigest of the image contents using the algorithm specified by the os_hash_algo'),
  },
  created_at: {
    show: ({ createdAt }) => timeText(createdAt),
    schema: { type: 'string', description: 'Date and time of image registration' },
  },
  updated_at: {
    show: ({ createdAt, updatedAt }) => timeText(updatedAt ?? createdAt),
    schema: { type: 'string', description: 'Date and time of the last image modification' },
  },
  self: { show: ({ uuid }) => `/v2/images/${uuid}`, schema: { type: 'string', description: 'This image' } },
  file: {
    show: ({ uuid }) => `/v2/images/${uuid}/file`,
    schema: { type: 'string', description: 'The data of the image' },
  },
  schema: {
    show: () => '/v2/schemas/image',
    schema: { type: 'string', description: 'The schema of this document' },
  },
};

/** Fields of Glance that are not supported here; they are never properties of an image. */
export const NOT_KEPT: ReadonlySet<string> = new Set(['locations', 'direct_url']);
/** Names of properties that only the image service sets. */
export const OWN_PREFIX = 'os_glance';

/** Glance's form: whole seconds, UTC. */
export const timeText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');

/** For every field its value in answers. */
const SHOWN: readonly (readonly [name: string, show: (image: Image) => Json])[] = [
  ...Object.entries(WRITABLE).map(([name, { key }]) => [name, (image: Image) => image[key] as Json] as const),
  ...Object.entries(READ_ONLY).map(([name, { show }]) => [name, show] as const),
];

/** Name -> JSON Schema of writable values. */
export const writableSchemas: Readonly<Record<string, FieldSchema>> = Object.fromEntries(
  Object.entries(WRITABLE).map(([name, { value, description }]) => [name, { ...value.schema, description }]),
);

/** An image in answers. */
export const imageSchema = {
  type: 'object',
  properties: {
    ...writableSchemas,
    ...Object.fromEntries(
      Object.entries(READ_ONLY).map(([name, { schema }]) => [name, { ...schema, readOnly: true }]),
    ),
  },
  additionalProperties: { type: 'string' },
};

export function showImage(image: Image): JsonObject {
  const document: Record<string, Json> = { ...image.properties };
  if (image.importError !== null) document['os_glance_import_error'] = image.importError;
  for (const [name, show] of SHOWN) document[name] = show(image);
  return document;
}
