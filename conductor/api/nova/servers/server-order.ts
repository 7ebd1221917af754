/**
 * Sort keys and pages of lists of servers. Nova's keys; those without a meaning here are ignored, as Nova ignores
 * some of its own.
 */
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { listAll, type Page } from '../../../domain/store/page.ts';
import type { RecordStore } from '../../../domain/store/records.ts';
import { quote } from '../../kit/quote.ts';
import { type Direction, inOrder, type Sortable } from '../../kit/sorting.ts';

export interface Order {
  readonly key: keyof Server;
  readonly direction: Direction;
}

/** Wire name -> field. `created_at` sorts by `id`, which has the same order and an index. */
const KEYS: Readonly<Record<string, keyof Server>> = {
  access_ip_v4: 'accessIpv4',
  access_ip_v6: 'accessIpv6',
  availability_zone: 'availabilityZone',
  config_drive: 'hasConfigDrive',
  created_at: 'id',
  display_description: 'description',
  display_name: 'name',
  host: 'host',
  hostname: 'hostname',
  image_ref: 'imageUuid',
  key_name: 'keyName',
  launch_index: 'launchIndex',
  launched_at: 'launchedAt',
  node: 'nodeUuid',
  power_state: 'powerState',
  project_id: 'projectId',
  task_state: 'taskState',
  terminated_at: 'terminatedAt',
  updated_at: 'updatedAt',
  user_id: 'userId',
  uuid: 'uuid',
  vm_state: 'vmState',
};

// biome-ignore format: words
const IGNORED: ReadonlySet<string> = new Set([
  'auto_disk_config', 'instance_type_id', 'kernel_id', 'locked_by', 'progress',
  'ramdisk_id', 'root_device_name', 'architecture', 'cell_name', 'cleaned', 'default_ephemeral_device',
  'default_swap_device', 'deleted', 'deleted_at', 'disable_terminate', 'ephemeral_gb', 'ephemeral_key_uuid', 'id',
  'key_data', 'launched_on', 'locked', 'memory_mb', 'os_type', 'reservation_id', 'root_gb', 'shutdown_terminate',
  'user_data', 'vcpus', 'vm_mode',
]);
const FOR_ADMINS: ReadonlySet<string> = new Set(['host', 'node']);
/** Newest first. */
const DEFAULT: Order = { key: 'id', direction: 'desc' };

/** The nth key has the nth direction, else the first one. Throws invalidParameter, forbidden. */
export function parseOrder(
  keys: readonly string[],
  directions: readonly string[],
  { minor, isAdmin }: { readonly minor: number; readonly isAdmin: boolean },
): readonly Order[] {
  const orders = keys.flatMap((name, index): Order[] => {
    const key =
      name === 'locked' && minor >= 73 ? 'isLocked' : Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (key === undefined) {
      if (IGNORED.has(name)) return [];
      throw refused('sort_key', name);
    }
    if (FOR_ADMINS.has(name) && !isAdmin) {
      throw new IngotError('forbidden', `Only administrators can sort servers by ${name}`);
    }
    return [{ key, direction: directionOf(directions[index] ?? directions[0]) }];
  });
  return orders.length > 0 ? orders : [{ ...DEFAULT, direction: directionOf(directions[0]) }];
}

function directionOf(word = 'desc'): Direction {
  if (word === 'asc' || word === 'desc') return word;
  throw refused('sort_dir', word);
}

const refused = (argument: string, value: string): IngotError =>
  new IngotError(
    'invalidParameter',
    `Invalid input for query parameters ${argument}. Value: ${quote(value, '')}. ${quote(value)} is not one that servers can be sorted by`,
  );

/** Servers in order, starting after the marker, read in portions of `size` as they are needed. */
export async function* serversInOrder(
  servers: RecordStore<Server>,
  filter: Partial<Server>,
  orders: readonly Order[],
  after: string | undefined,
  size: number,
): AsyncGenerator<readonly Server[]> {
  const [first = DEFAULT, ...others] = orders;
  if (others.length > 0) {
    const keys = orders.map(({ key, direction }) => ({
      of: (server: Server) => server[key] as Sortable,
      direction,
    }));
    const all = inOrder(await listAll(servers, filter), keys);
    yield all.slice(all.findIndex(({ uuid }) => uuid === after) + 1);
  } else yield* batches(servers, filter, first, after, size);
}

async function* batches(
  servers: RecordStore<Server>,
  filter: Partial<Server>,
  { key, direction }: Order,
  after: string | undefined,
  size: number,
): AsyncGenerator<readonly Server[]> {
  let marker = after;
  for (;;) {
    const page: Page = {
      limit: size,
      sortKey: key,
      sortDir: direction,
      ...(marker === undefined ? {} : { marker }),
    };
    const batch = await servers.list(filter, page);
    if (batch.length > 0) yield batch;
    if (batch.length < size) return;
    marker = batch.at(-1)?.uuid;
  }
}
