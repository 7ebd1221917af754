/**
 * Every field at the version just before it appeared: shown, asked for, sorted by, given at POST, added and removed by
 * PATCH. Derived from the field tables.
 */
import type { FieldKind } from '@ingot/shared/ironic/field-values.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { PORT_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import { ALLOCATION_FIELDS, PORTGROUP_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import {
  add,
  type ConformanceRequest,
  enroll,
  get,
  ORACLE_MINOR,
  patch,
  post,
  type RequestGroup,
  remove,
} from '../request.ts';

const SOME_UUID = '6a8b3c1e-0000-4000-8000-00000000aaaa';

const BY_KIND: Readonly<Partial<Record<FieldKind, unknown>>> = {
  dict: { key: 'value' },
  flag: true,
  maybeFlag: true,
  uuid: SOME_UUID,
};

/** Valid values that differ from the default of the field. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  storage_interface: 'noop',
  network_interface: 'noop',
  network_data: {},
  local_link_connection: { port_id: 'eth0', switch_id: '52:54:00:00:00:01', switch_info: 'top' },
  portgroup_uuid: '{group}',
  pxe_enabled: false,
  mode: '802.3ad',
};

const sampleOf = ({ wire, kind }: WireField): unknown => {
  if (Object.hasOwn(BY_NAME, wire)) return BY_NAME[wire];
  return kind === 'interface' ? 'fake' : Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : 'older';
};

interface Resource {
  readonly path: string;
  /** First version of the resource: older ones have none of its fields. */
  readonly since: number;
  readonly fields: readonly WireField[];
  /** The one to look at and to change, and the body of a POST without the field. */
  readonly one: string;
  body(index: number): Readonly<Record<string, unknown>>;
  readonly hasDetailPath?: false;
}

function requestsOf({ path, since, fields, one, body, hasDetailPath }: Resource): ConformanceRequest[] {
  const key = path.split('/').at(-1) as string;
  const young = fields.filter((field) => field.since > since && field.since <= ORACLE_MINOR && !field.hidden);
  return young.flatMap((field, index) => {
    const { wire } = field;
    const value = sampleOf(field);
    const at = { v: field.since - 1, only: [wire] };
    const detail = get(`list ${wire} in detail`, `${path}/detail?limit=1`, {
      ...at,
      only: [`${key}.0.${wire}`],
    });
    return [
      get(`show ${wire}`, `${path}/${one}`, at),
      ...(hasDetailPath === false ? [] : [detail]),
      get(`ask for ${wire}`, `${path}/${one}?fields=${wire}`, at),
      get(`sort by ${wire}`, `${path}?sort_key=${wire}&limit=1`, { ...at, only: [] }),
      post(`create with ${wire}`, path, { ...body(index), [wire]: value }, at),
      patch(`add ${wire}`, `${path}/${one}`, [add(`/${wire}`, value)], at),
      patch(`remove ${wire}`, `${path}/${one}`, [remove(`/${wire}`)], at),
    ];
  });
}

const mac = (group: number, index: number): string =>
  `52:54:00:00:0${group}:${index.toString(16).padStart(2, '0')}`;

export const olderNodeFields: RequestGroup = {
  name: 'older-node-fields',
  requests: [
    enroll(),
    ...requestsOf({
      path: '/v1/nodes',
      since: 1,
      fields: NODE_FIELDS,
      one: '{node}',
      body: () => ({ driver: 'fake-hardware' }),
    }),
  ],
};

export const olderPortFields: RequestGroup = {
  name: 'older-port-fields',
  requests: [
    enroll(),
    post('a group', '/v1/portgroups', { node_uuid: '{node}' }, { bind: { group: 'uuid' } }),
    post('a port', '/v1/ports', { node_uuid: '{node}', address: mac(0, 0) }, { bind: { port: 'uuid' } }),
    ...requestsOf({
      path: '/v1/ports',
      since: 1,
      fields: PORT_FIELDS,
      one: '{port}',
      body: (index) => ({ node_uuid: '{node}', address: mac(1, index) }),
    }),
  ],
};

export const olderPortgroupFields: RequestGroup = {
  name: 'older-portgroup-fields',
  requests: [
    enroll(),
    post('a group', '/v1/portgroups', { node_uuid: '{node}' }, { bind: { group: 'uuid' } }),
    ...requestsOf({
      path: '/v1/portgroups',
      since: 23,
      fields: PORTGROUP_FIELDS,
      one: '{group}',
      body: () => ({ node_uuid: '{node}' }),
    }),
  ],
};

export const olderAllocationFields: RequestGroup = {
  name: 'older-allocation-fields',
  requests: [
    post(
      'an allocation',
      '/v1/allocations',
      { name: 'asked', resource_class: 'none' },
      { bind: { one: 'uuid' } },
    ),
    ...requestsOf({
      path: '/v1/allocations',
      since: 52,
      fields: ALLOCATION_FIELDS,
      one: '{one}',
      body: () => ({ resource_class: 'none' }),
      hasDetailPath: false,
    }),
  ],
};
