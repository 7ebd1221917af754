/**
 * The body of POST /servers at each microversion. Nova API reference, "Create server".
 */
import type { JsonObject } from '../../../domain/json.ts';
import {
  anyObject,
  byMinor,
  either,
  integer,
  list,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Reader,
  since,
  text,
  until,
} from '../../kit/readers.ts';
import { boolean, named, printable, uuid } from '../request.ts';
import {
  ACCESS_FIELDS,
  adminPass,
  diskConfig,
  ipAddress,
  metadata,
  noCertificates,
  personality,
  tag,
  tags,
  userData,
} from './server-readers.ts';

const MAX_INSTANCES = 1_000_000;
const isText = (value: unknown): boolean => typeof value === 'string';

const word = text({ max: 255 });
/** An image; the empty text means none. */
export const imageRef = either((value) => value === '', word, uuid);
/** A flavor's id or link; a numeric id may also be a number. */
export const flavorRef = either(isText, text({ min: 1, max: 1024 }), integer());

const blockDeviceFields = {
  virtual_name: optional(word),
  volume_id: optional(uuid),
  snapshot_id: optional(uuid),
  volume_size: optional(integer(1)),
  device_name: optional(text({ min: 1, max: 255 })),
  delete_on_termination: optional(boolean),
  source_type: optional(oneOf(['volume', 'image', 'snapshot', 'blank'])),
  uuid: optional(text({ min: 1, max: 255 })),
  image_id: optional(uuid),
  destination_type: optional(oneOf(['local', 'volume'])),
  guest_format: optional(word),
  device_type: optional(word),
  disk_bus: optional(word),
  boot_index: optional(nullable(either(isText, text({ max: 10, pattern: /^-?[0-9]+$/ }), integer(-1)))),
  volume_type: since(67, optional(nullable(word))),
};
// tags were in 2.32 alone, and again from 2.42 on
const blockDevice = object(blockDeviceFields);
const taggedBlockDevice = object({ ...blockDeviceFields, tag: optional(tag) });

const networkFields = {
  fixed_ip: optional(ipAddress()),
  port: optional(nullable(uuid)),
  uuid: optional(byMinor((minor) => (minor < 37 ? word : uuid))),
};
// tags came with 2.32, were forgotten in 2.37 and again there from 2.42 on
const taggedNetwork = object({ ...networkFields, tag: optional(tag) });
const network: Reader<ObjectOf<typeof networkFields> & { readonly tag?: string }> = byMinor((minor) =>
  (minor >= 32 && minor < 37) || minor >= 42 ? taggedNetwork : object(networkFields),
);
const networkList = list(network, { max: 100 });
const networks: Reader<readonly WantedNetwork[] | 'auto' | 'none'> = byMinor((minor) =>
  minor < 37 ? networkList : either(isText, oneOf(['none', 'auto']), networkList),
);

const server = object({
  name: named(),
  imageRef: optional(imageRef),
  flavorRef,
  adminPass: optional(adminPass),
  metadata: optional(metadata),
  networks: optional(networks),
  'OS-DCF:diskConfig': optional(diskConfig),
  ...ACCESS_FIELDS,
  personality: until(56, optional(personality)),
  availability_zone: optional(named()),
  block_device_mapping: optional(list(anyObject)),
  block_device_mapping_v2: optional(
    list(byMinor((minor) => (minor === 32 || minor >= 42 ? taggedBlockDevice : blockDevice))),
  ),
  config_drive: optional(boolean),
  key_name: optional(named()),
  min_count: optional(integer(1, MAX_INSTANCES)),
  max_count: optional(integer(1, MAX_INSTANCES)),
  return_reservation_id: optional(boolean),
  security_groups: optional(list(object({ name: optional(named()) }))),
  user_data: optional(userData),
  description: since(19, optional(nullable(printable(255)))),
  tags: since(52, optional(tags)),
  trusted_image_certificates: since(63, optional(noCertificates)),
});

const UUID_HINTS = either(Array.isArray, list(uuid, { max: 1000 }), uuid);
const KNOWN_HINTS: Readonly<Record<string, Reader<unknown>>> = {
  group: uuid,
  different_host: UUID_HINTS,
  same_host: UUID_HINTS,
  query: either(isText, text({ max: 65_535 }), anyObject),
};

/** Like Nova, accepts unknown hints, which may be for other filters. */
const hints: Reader<JsonObject> = {
  schema: { type: 'object' },
  read(value, at) {
    const read = anyObject.read(value, at);
    for (const [name, hint] of Object.entries(read)) {
      if (Object.hasOwn(KNOWN_HINTS, name)) KNOWN_HINTS[name]?.read(hint, at.inside(name));
    }
    return read;
  },
};

export const CREATE_BODY = object({
  server,
  'os:scheduler_hints': optional(hints),
  'OS-SCH-HNT:scheduler_hints': optional(hints),
});

type Read<R> = R extends Reader<infer T> ? T : never;
export type CreateBody = Read<typeof CREATE_BODY>;
export type CreateServer = Read<typeof server>;
export type BlockDevice = Read<typeof taggedBlockDevice>;
export type WantedNetwork = Read<typeof taggedNetwork>;
