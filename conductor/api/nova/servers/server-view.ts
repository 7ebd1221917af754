/**
 * A server in Nova's answers: every field with its microversions, answers and callers. Nova API reference, "Show
 * server details"; for the history of fields, its API version history.
 */
import { createHash } from 'node:crypto';
import type { Server } from '../../../domain/compute.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ServerAddress } from '../../../network-service/server-networks.ts';
import type { Link } from '../links.ts';
import { naiveTime, zuluTime } from '../time.ts';
import { statusOf } from './server-status.ts';

/** PUT and rebuild answer with fewer fields than GET, until API 2.75. */
export type Answer = 'show' | 'detail' | 'update' | 'rebuild';

/** Data that is not in a server's record. */
export interface ServerSurroundings {
  readonly addresses: readonly ServerAddress[];
  /** The zone of the server; the requested zone while it has no node. */
  readonly zone: string;
  /** State of its compute service: UP, DOWN, MAINTENANCE, UNKNOWN; empty without one. */
  readonly hostStatus: string;
  /** Progress of its build in percent. */
  readonly progress: number;
}

/** The caller for whom the view is made. */
export interface Viewer {
  readonly minor: number;
  readonly isAdmin: boolean;
  /** `self` and `bookmark` of a path after the version. */
  readonly links: (path: string) => readonly Link[];
}

interface ServerField {
  readonly name: string;
  readonly since?: number;
  /** The last microversion with this row. */
  readonly until?: number;
  /** Default: all answers. */
  readonly answers?: readonly Answer[];
  readonly isForAdmins?: true;
  /** Undefined leaves the field out. */
  readonly value: (server: Server, around: ServerSurroundings, viewer: Viewer, answer: Answer) => unknown;
}

const GETS: readonly Answer[] = ['show', 'detail'];
export const BUILDING: ReadonlySet<string> = new Set(['BUILD', 'REBUILD']);
const FAULTY: ReadonlySet<string> = new Set(['ERROR', 'DELETED']);

const FIELDS: readonly ServerField[] = [
  { name: 'id', value: ({ uuid }) => uuid },
  { name: 'name', value: ({ name }) => name },
  { name: 'status', value: statusOf },
  { name: 'tenant_id', value: ({ projectId }) => projectId },
  { name: 'user_id', value: ({ userId }) => userId },
  { name: 'metadata', value: ({ metadata }) => metadata },
  { name: 'hostId', value: ({ host, projectId }) => hostIdOf(host, projectId) },
  { name: 'image', value: imageOf },
  { name: 'flavor', until: 46, value: flavorLink },
  { name: 'flavor', since: 47, value: embeddedFlavor },
  { name: 'created', value: ({ createdAt }) => zuluTime(createdAt) },
  { name: 'updated', value: ({ createdAt, updatedAt }) => zuluTime(updatedAt ?? createdAt) },
  {
    name: 'addresses',
    value: ({ vmState }, { addresses }, _, answer) =>
      vmState === 'building' ? {} : addressesView(addresses, GETS.includes(answer)),
  },
  { name: 'accessIPv4', value: ({ accessIpv4 }) => accessIpv4 ?? '' },
  { name: 'accessIPv6', value: ({ accessIpv6 }) => accessIpv6 ?? '' },
  { name: 'links', value: ({ uuid }, _, { links }) => links(`servers/${uuid}`) },
  { name: 'OS-DCF:diskConfig', value: () => 'MANUAL' },
  { name: 'fault', value: faultOf },
  { name: 'progress', value: progressOf },
  { name: 'OS-EXT-AZ:availability_zone', answers: GETS, value: (_, { zone }) => zone },
  { name: 'config_drive', answers: GETS, value: ({ hasConfigDrive }) => (hasConfigDrive ? 'True' : '') },
  { name: 'key_name', answers: GETS, value: ({ keyName }) => keyName },
  { name: 'key_name', since: 54, answers: ['rebuild'], value: ({ keyName }) => keyName },
  { name: 'user_data', since: 57, answers: ['rebuild'], value: ({ userData }) => userData },
  { name: 'OS-SRV-USG:launched_at', answers: GETS, value: ({ launchedAt }) => maybeTime(launchedAt) },
  { name: 'OS-SRV-USG:terminated_at', answers: GETS, value: ({ terminatedAt }) => maybeTime(terminatedAt) },
  ...forAdmins({
    host: ({ host }) => host,
    instance_name: ({ uuid }) => `instance-${uuid.slice(0, 8)}`,
    hypervisor_hostname: ({ nodeUuid }) => nodeUuid,
  }),
  ...forAdmins(
    {
      reservation_id: ({ reservationId }) => reservationId,
      launch_index: ({ launchIndex }) => launchIndex,
      hostname: ({ hostname }) => hostname,
      kernel_id: () => '',
      ramdisk_id: () => '',
      // which disk it is, the deploy decides by the node's root device hints
      root_device_name: () => null,
      user_data: ({ userData }) => userData,
    },
    3,
  ),
  { name: 'OS-EXT-STS:task_state', answers: GETS, value: ({ taskState }) => taskState },
  { name: 'OS-EXT-STS:vm_state', answers: GETS, value: ({ vmState }) => vmState },
  { name: 'OS-EXT-STS:power_state', answers: GETS, value: ({ powerState }) => powerState },
  { name: 'os-extended-volumes:volumes_attached', answers: GETS, value: () => [] },
  { name: 'locked', since: 9, value: ({ isLocked }) => isLocked },
  {
    name: 'host_status',
    since: 16,
    answers: GETS,
    isForAdmins: true,
    value: (_, { hostStatus }) => hostStatus,
  },
  { name: 'description', since: 19, value: ({ description }) => description },
  { name: 'tags', since: 26, value: ({ tags }) => tags },
  { name: 'trusted_image_certificates', since: 63, value: () => null },
  {
    name: 'server_groups',
    since: 71,
    answers: ['show', 'update', 'rebuild'],
    value: ({ serverGroupUuid }) => (serverGroupUuid === null ? [] : [serverGroupUuid]),
  },
  { name: 'locked_reason', since: 73, value: ({ lockedReason }) => lockedReason },
];

function forAdmins(
  values: Readonly<Record<string, (server: Server) => unknown>>,
  since = 1,
): readonly ServerField[] {
  return Object.entries(values).map(([name, value]) => ({
    name: `OS-EXT-SRV-ATTR:${name}`,
    since,
    answers: GETS,
    isForAdmins: true,
    value,
  }));
}

/** The fields of one kind of answer at one microversion, computed once for a list. */
export function serverView(
  answer: Answer,
  viewer: Viewer,
): (server: Server, around: ServerSurroundings) => Record<string, unknown> {
  const { minor, isAdmin } = viewer;
  const fields = FIELDS.filter(
    ({ since = 1, until = minor, answers, isForAdmins = false }) =>
      since <= minor && minor <= until && (answers?.includes(answer) ?? true) && (isAdmin || !isForAdmins),
  );
  return (server, around) => {
    const shown: Record<string, unknown> = {};
    for (const { name, value } of fields) {
      const found = value(server, around, viewer, answer);
      if (found !== undefined) shown[name] = found;
    }
    return shown;
  };
}

/** The short form in lists without details. */
export const briefServerView = (
  { uuid, name }: Server,
  links: Viewer['links'],
): { readonly id: string; readonly name: string; readonly links: readonly Link[] } => ({
  id: uuid,
  name,
  links: links(`servers/${uuid}`),
});

/** `{network name: [{version, addr}]}`; `isWhole` adds MAC address and type. */
export function addressesView(
  addresses: readonly ServerAddress[],
  isWhole: boolean,
): Readonly<Record<string, JsonObject[]>> {
  const byNetwork = new Map<string, JsonObject[]>();
  for (const { network, port } of addresses) {
    const shown = port.fixedIps.map(({ ipAddress }) => ({
      version: ipAddress.includes(':') ? 6 : 4,
      addr: ipAddress,
      ...(isWhole ? { 'OS-EXT-IPS:type': 'fixed', 'OS-EXT-IPS-MAC:mac_addr': port.macAddress } : {}),
    }));
    byNetwork.set(network.name, [...(byNetwork.get(network.name) ?? []), ...shown]);
  }
  return Object.fromEntries(byNetwork);
}

/** Distinguishes hosts among a project's servers without revealing their names. */
export const hostIdOf = (host: string | null, projectId: string): string =>
  host === null ? '' : createHash('sha224').update(`${projectId}${host}`).digest('hex');

const bookmarkOf = (links: readonly Link[]): readonly Link[] => links.filter(({ rel }) => rel === 'bookmark');

const maybeTime = (time: Date | null): string | null => (time === null ? null : naiveTime(time));

function imageOf({ imageUuid }: Server, _: ServerSurroundings, { links }: Viewer): unknown {
  if (imageUuid === null) return '';
  return { id: imageUuid, links: bookmarkOf(links(`images/${imageUuid}`)) };
}

function flavorLink({ flavor }: Server, _: ServerSurroundings, { links }: Viewer): unknown {
  const path = `flavors/${encodeURIComponent(flavor.uuid)}`;
  return { id: flavor.uuid, links: bookmarkOf(links(path)) };
}

/** Other statuses have no progress. */
function progressOf(server: Server, { progress }: ServerSurroundings): number | undefined {
  const status = statusOf(server);
  if (status === 'ACTIVE') return 100;
  return BUILDING.has(status) ? progress : undefined;
}

function embeddedFlavor({ flavor }: Server): unknown {
  return {
    vcpus: flavor.vcpus,
    ram: flavor.ramMb,
    disk: flavor.rootGb,
    ephemeral: flavor.ephemeralGb,
    swap: flavor.swapMb,
    original_name: flavor.name,
    extra_specs: flavor.extraSpecs,
  };
}

/** Only administrators see the details of internal errors. */
function faultOf(server: Server, _: ServerSurroundings, { isAdmin }: Viewer): unknown {
  const { fault } = server;
  if (fault === null || !FAULTY.has(statusOf(server))) return undefined;
  const { code, message, details } = fault;
  const isShown = details !== null && (isAdmin || code !== 500);
  return { code, created: zuluTime(new Date(fault.created)), message, ...(isShown ? { details } : {}) };
}
