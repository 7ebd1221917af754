/**
 * Every sub-resource, list argument and provision target at the version just before it appeared, with every verb.
 */
import {
  add,
  type ConformanceRequest,
  enroll,
  get,
  patch,
  put,
  type RequestGroup,
  type RequestOptions,
} from '../request.ts';

type Row = readonly [path: string, since: number, body?: unknown];

const NODE = '/v1/nodes/{node}';
const ABSENT = '6a8b3c1e-0000-4000-8000-00000000ffff';

const EVENT = {
  event: 'network.bind_port',
  port_id: ABSENT,
  mac_address: '52:54:00:00:00:01',
  status: 'ACTIVE',
};

/** Body: that of POST and PUT, when it is not {}. */
const PATHS: readonly Row[] = [
  [`${NODE}/states/raid`, 12, { logical_disks: [] }],
  ['/v1/drivers/fake-hardware/raid/logical_disk_properties', 12],
  ['/v1/lookup', 22],
  [`/v1/heartbeat/{node}`, 22, { callback_url: 'http://127.0.0.1:9999' }],
  ['/v1/portgroups', 23, { node_uuid: '{node}' }],
  ['/v1/portgroups/detail', 23],
  [`/v1/portgroups/${ABSENT}`, 23],
  [`${NODE}/portgroups`, 24],
  [`${NODE}/portgroups/detail`, 24],
  [`/v1/portgroups/${ABSENT}/ports`, 24],
  [`${NODE}/vifs`, 28, { id: 'vif' }],
  [`${NODE}/vifs/vif`, 28],
  [`${NODE}/management/inject_nmi`, 29],
  ['/v1/volume', 32],
  ['/v1/volume/connectors', 32, { node_uuid: '{node}', type: 'iqn', connector_id: 'iqn.older' }],
  [`/v1/volume/connectors/${ABSENT}`, 32],
  [
    '/v1/volume/targets',
    32,
    { node_uuid: '{node}', volume_type: 'iscsi', volume_id: 'older', boot_index: 0 },
  ],
  [`/v1/volume/targets/${ABSENT}`, 32],
  [`${NODE}/volume`, 32],
  [`${NODE}/volume/connectors`, 32],
  [`${NODE}/volume/targets`, 32],
  [`${NODE}/traits`, 37, { traits: ['CUSTOM_OLDER'] }],
  [`${NODE}/traits/CUSTOM_OLDER`, 37],
  [`${NODE}/bios`, 40],
  [`${NODE}/bios/Setting`, 40],
  ['/v1/conductors', 49],
  ['/v1/conductors/conformance', 49],
  ['/v1/allocations', 52, { resource_class: 'none' }],
  [`/v1/allocations/${ABSENT}`, 52],
  [`${NODE}/allocation`, 52],
  ['/v1/events', 54, { events: [EVENT] }],
  ['/v1/deploy_templates', 55, { name: 'CUSTOM_OLDER', steps: [] }],
  [`/v1/deploy_templates/${ABSENT}`, 55],
  [`${NODE}/management/indicators`, 63],
  [`${NODE}/management/indicators/system`, 63],
  [`${NODE}/management/indicators/led@system`, 63, { state: 'on' }],
  [`${NODE}/states/boot_mode`, 76, { target: 'uefi' }],
  [`${NODE}/states/secure_boot`, 76, { target: true }],
  [`${NODE}/history`, 78],
  [`${NODE}/history/${ABSENT}`, 78],
  [`${NODE}/inventory`, 81],
  ['/v1/shards', 82],
];

/** Older requests are rejected before their body is read, so the body need not be valid. */
function everyVerb([path, since, body = {}]: Row): ConformanceRequest[] {
  const options: RequestOptions = { v: since - 1, only: [] };
  const title = path.replace('/v1/', '');
  return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({
    ...{ title: `${method} ${title}`, method, path, ...options },
    ...(method === 'PATCH' ? { body: [add('/extra/x', 1)] } : {}),
    ...(method === 'POST' || method === 'PUT' ? { body } : {}),
  }));
}

type Argument = readonly [list: string, argument: string, since: number];
const ARGUMENTS: readonly Argument[] = [
  ['nodes', 'fields=uuid', 8],
  ['nodes', 'provision_state=enroll', 9],
  ['nodes', 'driver=fake-hardware', 16],
  ['nodes', 'resource_class=none', 21],
  ['nodes', 'fault=power%20failure', 42],
  ['nodes', 'detail=true', 43],
  ['nodes', 'conductor_group=none', 46],
  ['nodes', 'conductor=conformance', 49],
  ['nodes', 'owner=none', 50],
  ['nodes', 'description_contains=none', 51],
  ['nodes', 'retired=true', 61],
  ['nodes', 'lessee=none', 65],
  ['nodes', 'project=none', 65],
  ['nodes', 'shard=none', 82],
  ['nodes', 'sharded=true', 82],
  ['ports', 'node=older', 6],
  ['ports', 'fields=uuid', 8],
  ['ports', `portgroup=${ABSENT}`, 24],
  ['ports', 'detail=true', 43],
  ['ports', 'shard=none', 82],
  ['portgroups', 'detail=true', 43],
  ['chassis', 'fields=uuid', 8],
  ['chassis', 'detail=true', 43],
  ['allocations', 'owner=none', 60],
  ['drivers', 'type=classic', 30],
  ['drivers', 'detail=true', 30],
  ['drivers', 'fields=name', 77],
];

const argument = ([list, text, since]: Argument): ConformanceRequest =>
  get(`${list} by ${text}`, `/v1/${list}?${text}`, { v: since - 1, only: [] });

/** Targets of PUT states/provision and states/power, with the arguments that they need. */
const TARGETS: readonly (readonly [body: Readonly<Record<string, unknown>>, since: number])[] = [
  [{ target: 'manage' }, 4],
  [{ target: 'provide' }, 4],
  [{ target: 'inspect' }, 6],
  [{ target: 'abort' }, 13],
  [{ target: 'clean', clean_steps: [] }, 15],
  [{ target: 'adopt' }, 17],
  [{ target: 'rescue', rescue_password: 'older' }, 38],
  [{ target: 'unrescue' }, 38],
  [{ target: 'active', configdrive: {} }, 56],
  [{ target: 'active', deploy_steps: [] }, 69],
];

export const olderPaths: RequestGroup = {
  name: 'older-paths',
  requests: [enroll('enroll', { name: 'older' }), ...PATHS.flatMap(everyVerb)],
};

export const olderArguments: RequestGroup = {
  name: 'older-arguments',
  requests: [
    enroll('enroll', { name: 'older' }),
    ...ARGUMENTS.map(argument),
    ...TARGETS.map(([body, since]) =>
      put(
        `provision with ${Object.values(body)[0]}, ${Object.keys(body).join()}`,
        `${NODE}/states/provision`,
        body,
        {
          v: since - 1,
          only: [],
        },
      ),
    ),
    put('soft power', `${NODE}/states/power`, { target: 'soft power off' }, { v: 26, only: [] }),
    put(
      'power with a time limit',
      `${NODE}/states/power`,
      { target: 'power on', timeout: 5 },
      { v: 26, only: [] },
    ),
    patch(
      'reset interfaces',
      `${NODE}?reset_interfaces=true`,
      [{ op: 'replace', path: '/driver', value: 'fake-hardware' }],
      { v: 44, only: [] },
    ),
    get('by name', '/v1/nodes/older', { v: 4, only: [] }),
  ],
};
