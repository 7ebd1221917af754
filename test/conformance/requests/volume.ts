/** Volume connectors and targets. */
import {
  add,
  del,
  enroll,
  get,
  nodeIs,
  patch,
  post,
  put,
  type RequestGroup,
  remove,
  replace,
} from '../request.ts';

const ABSENT = '6a8b3c1e-0000-4000-8000-00000000ffff';
const SECOND = '6a8b3c1e-0000-4000-8000-000000000002';
const UUID = '6a8b3c1e-0000-4000-8000-000000000001';

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly key: string;
  readonly good: object;
  readonly whole: object;
  readonly bad: Readonly<Record<string, object>>;
  readonly patches: Readonly<Record<string, readonly object[]>>;
}

const group = ({ name, path, key, good, whole, bad, patches }: Kind): RequestGroup => ({
  name,
  requests: [
    enroll('enroll', { name: 'holder' }),
    put(
      'power off',
      '/v1/nodes/{node}/states/power',
      { target: 'power off' },
      { until: nodeIs({ power_state: 'power off' }) },
    ),
    get('the volume document', '/v1/volume'),
    get('the volume document before it was', '/v1/volume', { v: 31 }),
    get('the volume of the node', '/v1/nodes/{node}/volume'),
    get('none', path),
    get('before they were', path, { v: 31 }),
    post('create', path, { node_uuid: '{node}', uuid: SECOND, ...good }, { bind: { item: 'uuid' } }),
    post('create whole', path, { node_uuid: '{node}', uuid: UUID, extra: { a: 1 }, ...whole }),
    get('show', `${path}/{item}`),
    get('show whole', `${path}/${UUID}`),
    get('fields', `${path}/${UUID}?fields=uuid,${key}`),
    get('an unknown field', `${path}/${UUID}?fields=bogus`),
    get('absent', `${path}/${ABSENT}`),
    get('a bad uuid', `${path}/x`),
    get('list', path),
    get('list with detail', `${path}?detail=true`),
    get('list detail', `${path}/detail`),
    get('list of fields', `${path}?fields=${key}`),
    get('list of fields and detail', `${path}?fields=${key}&detail=true`),
    get('a page', `${path}?limit=1`),
    get('the next page', `${path}?limit=1&marker={item}`),
    get('an absent marker', `${path}?marker=${ABSENT}`),
    ...[key, 'uuid', 'extra', 'properties', 'node_uuid', 'bogus'].map((sort) =>
      get(`sorted by ${sort}`, `${path}?sort_key=${sort}&fields=uuid`),
    ),
    get('by node', `${path}?node=holder`),
    get('by an absent node', `${path}?node=nobody`),
    get('an unknown argument', `${path}?colour=red`),
    get('of the node', `/v1/nodes/{node}${path.slice('/v1'.length)}`),
    get('of the node in detail', `/v1/nodes/{node}${path.slice('/v1'.length)}?detail=true`),
    get('of an absent node', `/v1/nodes/${ABSENT}${path.slice('/v1'.length)}`),
    post('the same again', path, { node_uuid: '{node}', ...good }),
    post('the same uuid', path, { node_uuid: '{node}', ...good, uuid: UUID }),
    post('no node', path, good),
    post('an absent node', path, { node_uuid: ABSENT, ...good }),
    post('nothing', path, {}),
    post('an unknown field on creating', path, { node_uuid: '{node}', ...good, colour: 1 }),
    post('before they were, by POST', path, { node_uuid: '{node}', ...good }, { v: 31 }),
    ...Object.entries(bad).map(([title, fields]) =>
      post(title, path, { node_uuid: '{node}', ...good, ...fields }),
    ),
    ...Object.entries(patches).map(([title, operations]) =>
      patch(`PATCH ${title}`, `${path}/{item}`, operations),
    ),
    patch('PATCH absent', `${path}/${ABSENT}`, [add('/extra/x', 1)]),
    get('in the end', `${path}/{item}`),
    put(
      'power on',
      '/v1/nodes/{node}/states/power',
      { target: 'power on' },
      { until: nodeIs({ power_state: 'power on' }) },
    ),
    patch('PATCH when on', `${path}/{item}`, [add('/extra/x', 1)]),
    post('create when on', path, { node_uuid: '{node}', ...good, ...lastGood(key) }),
    del('delete when on', `${path}/{item}`),
    put(
      'power off again',
      '/v1/nodes/{node}/states/power',
      { target: 'power off' },
      { until: nodeIs({ power_state: 'power off' }) },
    ),
    del('delete', `${path}/{item}`),
    del('delete again', `${path}/{item}`),
    del('delete the collection', path),
  ],
});

const lastGood = (key: string) =>
  key === 'boot_index' ? { boot_index: 9 } : { connector_id: 'iqn.2017-05.org.example:last' };

const common: Kind['patches'] = {
  extra: [add('/extra/x', 1)],
  'remove extra': [remove('/extra')],
  node: [replace('/node_uuid', ABSENT)],
  'no node': [remove('/node_uuid')],
  uuid: [replace('/uuid', ABSENT)],
  unknown: [add('/colour', 1)],
};

export const volumeConnectors = group({
  name: 'volume-connectors',
  path: '/v1/volume/connectors',
  key: 'connector_id',
  good: { type: 'iqn', connector_id: 'iqn.2017-05.org.example:1' },
  whole: { type: 'wwpn', connector_id: '10:00:00:23:7d:f1:2e:8f' },
  bad: {
    'an unknown type': { type: 'string', connector_id: 'x' },
    'a null id': { connector_id: null },
    'an ip': { type: 'ip', connector_id: '192.0.2.1' },
    'a mac': { type: 'mac', connector_id: '52:54:00:00:00:01' },
    'a port': { type: 'port', connector_id: 'x' },
    'a number for an id': { connector_id: 1 },
  },
  patches: {
    ...common,
    type: [replace('/type', 'wwnn')],
    'a bad type': [replace('/type', 'string')],
    id: [replace('/connector_id', 'iqn.2017-05.org.example:2')],
    'remove the id': [remove('/connector_id')],
    'one that is there': [replace('/type', 'wwpn'), replace('/connector_id', '10:00:00:23:7d:f1:2e:8f')],
  },
});

export const volumeTargets = group({
  name: 'volume-targets',
  path: '/v1/volume/targets',
  key: 'boot_index',
  good: { volume_type: 'iscsi', volume_id: 'v1', boot_index: 0 },
  whole: {
    volume_type: 'fibre_channel',
    volume_id: 'v2',
    boot_index: 1,
    properties: { target_iqn: 'iqn.x', auth_password: 'hunter2' },
  },
  bad: {
    'a negative index': { boot_index: -1 },
    'an index of text': { boot_index: '5' },
    'an index of a bad text': { boot_index: 'x' },
    'a null id': { volume_id: null, boot_index: 6 },
    'properties of text': { properties: 'x', boot_index: 7 },
    'an unknown type': { volume_type: 'floppy', boot_index: 8 },
  },
  patches: {
    ...common,
    'volume id': [replace('/volume_id', 'v9')],
    'volume type': [replace('/volume_type', 'rbd')],
    'boot index': [replace('/boot_index', 3)],
    'boot index taken': [replace('/boot_index', 1)],
    properties: [add('/properties/a', 1)],
    'remove the index': [remove('/boot_index')],
  },
});
