/** What belongs to a node: traits, VIFs, BIOS settings, history, inventory, vmedia; and shards and events. */
import {
  add,
  atVersions,
  del,
  enroll,
  get,
  nodeIs,
  patch,
  post,
  put,
  type RequestGroup,
  replace,
  switchOff,
} from '../request.ts';

const ABSENT = '6a8b3c1e-0000-4000-8000-00000000ffff';
const VIF = '6a8b3c1e-0000-4000-8000-0000000000f1';
const traits = (title: string, list: unknown, v?: number) =>
  put(title, '/v1/nodes/{node}/traits', list, v === undefined ? {} : { v });

export const nodeTraits: RequestGroup = {
  name: 'traits',
  requests: [
    enroll('enroll', { name: 't' }),
    get('none', '/v1/nodes/{node}/traits'),
    get('before they were', '/v1/nodes/{node}/traits', { v: 36 }),
    traits('set', { traits: ['CUSTOM_B', 'CUSTOM_A', 'HW_CPU_X86_VMX'] }),
    get('list', '/v1/nodes/{node}/traits'),
    get('list by name', '/v1/nodes/t/traits'),
    get('the node', '/v1/nodes/{node}?fields=traits,updated_at'),
    get('the node before', '/v1/nodes/{node}?fields=traits', { v: 36 }),
    traits('replace', { traits: ['CUSTOM_C'] }),
    traits('the same twice', { traits: ['CUSTOM_C', 'CUSTOM_C'] }),
    traits('empty', { traits: [] }),
    traits('no key', {}),
    traits('an unknown key', { traits: [], colour: 1 }),
    traits('text', { traits: 'CUSTOM_A' }),
    traits('null', { traits: null }),
    traits('numbers', { traits: [1] }),
    traits('an unknown trait', { traits: ['GOLD'] }),
    traits('small letters', { traits: ['CUSTOM_gold'] }),
    traits('with a dash', { traits: ['CUSTOM_A-B'] }),
    traits('only the prefix', { traits: ['CUSTOM_'] }),
    traits('255 letters', { traits: [`CUSTOM_${'A'.repeat(248)}`] }),
    traits('256 letters', { traits: [`CUSTOM_${'A'.repeat(249)}`] }),
    traits('fifty', { traits: Array.from({ length: 50 }, (_, n) => `CUSTOM_${n}`) }),
    put('one more than fifty', '/v1/nodes/{node}/traits/CUSTOM_MORE', ''),
    traits('fifty-one', { traits: Array.from({ length: 51 }, (_, n) => `CUSTOM_${n}`) }),
    traits('before they were, by PUT', { traits: [] }, 36),
    traits('one again', { traits: ['CUSTOM_A'] }),
    put('add', '/v1/nodes/{node}/traits/CUSTOM_D', ''),
    put('add again', '/v1/nodes/{node}/traits/CUSTOM_D', ''),
    put('add an unknown trait', '/v1/nodes/{node}/traits/GOLD', ''),
    put('add with a body', '/v1/nodes/{node}/traits/CUSTOM_E', { traits: ['CUSTOM_F'] }),
    put('add to an absent node', `/v1/nodes/${ABSENT}/traits/CUSTOM_E`, ''),
    put('set on an absent node', `/v1/nodes/${ABSENT}/traits`, { traits: [] }),
    get('GET one', '/v1/nodes/{node}/traits/CUSTOM_D'),
    get('list now', '/v1/nodes/{node}/traits'),
    del('delete one', '/v1/nodes/{node}/traits/CUSTOM_D'),
    del('delete it again', '/v1/nodes/{node}/traits/CUSTOM_D'),
    del('delete all', '/v1/nodes/{node}/traits'),
    del('delete all again', '/v1/nodes/{node}/traits'),
    get('none again', '/v1/nodes/{node}/traits'),
    get('of an absent node', `/v1/nodes/${ABSENT}/traits`),
    patch('by PATCH', '/v1/nodes/{node}', [add('/traits/-', 'CUSTOM_A')]),
    post('by POST', '/v1/nodes/{node}/traits', { traits: [] }),
  ],
};

const attach = (title: string, body: unknown, v?: number) =>
  post(title, '/v1/nodes/{node}/vifs', body, v === undefined ? {} : { v });

export const nodeVifs: RequestGroup = {
  name: 'vifs',
  requests: [
    enroll('enroll', { network_interface: 'noop' }),
    post(
      'port',
      '/v1/ports',
      { node_uuid: '{node}', address: '52:54:00:00:04:01' },
      { bind: { port: 'uuid' } },
    ),
    get('none', '/v1/nodes/{node}/vifs'),
    get('before they were', '/v1/nodes/{node}/vifs', { v: 27 }),
    attach('attach', { id: VIF }),
    attach('attach again', { id: VIF }),
    get('list', '/v1/nodes/{node}/vifs'),
    attach('no id', {}),
    attach('an id of text', { id: 'x' }),
    attach('an id of number', { id: 1 }),
    attach('more keys', { id: VIF, colour: 1 }),
    attach('to a port', { id: VIF, port_uuid: '{port}' }),
    attach('to an absent port', { id: VIF, port_uuid: ABSENT }),
    attach('to port and portgroup', { id: VIF, port_uuid: '{port}', portgroup_uuid: ABSENT }),
    attach('to a port before it was', { id: VIF, port_uuid: '{port}' }, 66),
    attach('before they were, by POST', { id: VIF }, 27),
    post('to an absent node', `/v1/nodes/${ABSENT}/vifs`, { id: VIF }),
    get('of an absent node', `/v1/nodes/${ABSENT}/vifs`),
    del('detach', `/v1/nodes/{node}/vifs/${VIF}`),
    del('detach again', `/v1/nodes/{node}/vifs/${VIF}`),
    del('detach from an absent node', `/v1/nodes/${ABSENT}/vifs/${VIF}`),
    get('GET one', `/v1/nodes/{node}/vifs/${VIF}`),
    get('the port', '/v1/ports/{port}'),
  ],
};

export const nodeBios: RequestGroup = {
  name: 'bios',
  requests: [
    enroll('enroll', { bios_interface: 'fake' }),
    get('none', '/v1/nodes/{node}/bios'),
    get('before it was', '/v1/nodes/{node}/bios', { v: 39 }),
    get('with detail', '/v1/nodes/{node}/bios?detail=true'),
    get('with detail before it was', '/v1/nodes/{node}/bios?detail=true', { v: 73 }),
    get('with fields', '/v1/nodes/{node}/bios?fields=name,value'),
    get('with fields before they were', '/v1/nodes/{node}/bios?fields=name', { v: 73 }),
    get('with an unknown field', '/v1/nodes/{node}/bios?fields=bogus'),
    get('with fields and detail', '/v1/nodes/{node}/bios?fields=name&detail=true'),
    get('an absent setting', '/v1/nodes/{node}/bios/VirtualizationTechnology'),
    get('of an absent node', `/v1/nodes/${ABSENT}/bios`),
    put(
      'manage',
      '/v1/nodes/{node}/states/provision',
      { target: 'manage' },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    put(
      'apply by cleaning',
      '/v1/nodes/{node}/states/provision',
      {
        target: 'clean',
        clean_steps: [
          {
            interface: 'bios',
            step: 'apply_configuration',
            args: { settings: [{ name: 'LogicalProc', value: 'Enabled' }] },
          },
        ],
      },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    get('after applying', '/v1/nodes/{node}/bios'),
    put('by PUT', '/v1/nodes/{node}/bios', {}),
    enroll('one without BIOS', { bios_interface: 'no-bios' }, 'plain'),
    get('without BIOS', '/v1/nodes/{plain}/bios'),
  ],
};

export const nodeHistory: RequestGroup = {
  name: 'history',
  requests: [
    enroll(),
    switchOff,
    get('none', '/v1/nodes/{node}/history'),
    get('before it was', '/v1/nodes/{node}/history', { v: 77 }),
    put(
      'manage',
      '/v1/nodes/{node}/states/provision',
      { target: 'manage' },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    // An unknown step, so this fails and is recorded in the history.
    put(
      'a clean that fails',
      '/v1/nodes/{node}/states/provision',
      { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'nothing' }] },
      { until: nodeIs({ provision_state: 'clean failed' }) },
    ),
    get('list', '/v1/nodes/{node}/history', { bind: { event: 'history.0.uuid' } }),
    get('detail', '/v1/nodes/{node}/history?detail=true'),
    get('a page', '/v1/nodes/{node}/history?limit=1'),
    get('after a marker', '/v1/nodes/{node}/history?marker={event}'),
    get('an absent marker', `/v1/nodes/{node}/history?marker=${ABSENT}`),
    get('a bad limit', '/v1/nodes/{node}/history?limit=0'),
    get('an unknown argument', '/v1/nodes/{node}/history?colour=red'),
    get('one', '/v1/nodes/{node}/history/{event}'),
    get('an absent one', `/v1/nodes/{node}/history/${ABSENT}`),
    get('a bad one', '/v1/nodes/{node}/history/x'),
    get('of an absent node', `/v1/nodes/${ABSENT}/history`),
    put('by PUT', '/v1/nodes/{node}/history', {}),
  ],
};

export const nodeInventory: RequestGroup = {
  name: 'inventory',
  requests: [
    enroll('enroll', { name: 'i' }),
    get('none', '/v1/nodes/{node}/inventory'),
    get('none by name', '/v1/nodes/i/inventory'),
    get('before it was', '/v1/nodes/{node}/inventory', { v: 80 }),
    get('of an absent node', `/v1/nodes/${ABSENT}/inventory`),
    get('an unknown argument', '/v1/nodes/{node}/inventory?colour=red'),
    put('by PUT', '/v1/nodes/{node}/inventory', {}),
    get('below it', '/v1/nodes/{node}/inventory/more'),
    get('virtual media, too new', '/v1/nodes/{node}/vmedia'),
    get('children, too new', '/v1/nodes/{node}/children'),
    get('firmware, too new', '/v1/nodes/{node}/firmware'),
    get('nothing of the kind', '/v1/nodes/{node}/colours'),
  ],
};

export const shards: RequestGroup = {
  name: 'shards',
  requests: [
    get('none', '/v1/shards'),
    get('before they were', '/v1/shards', { v: 81 }),
    enroll('a', { shard: 's1' }, 'a'),
    enroll('b', { shard: 's1' }, 'b'),
    enroll('c', { shard: 's2' }, 'c'),
    enroll('d', {}, 'd'),
    get('list', '/v1/shards'),
    get('an unknown argument', '/v1/shards?colour=red'),
    get('one', '/v1/shards/s1'),
    post('by POST', '/v1/shards', { name: 's3' }),
    patch('leave a shard', '/v1/nodes/{c}', [replace('/shard', null)]),
    get('list again', '/v1/shards'),
  ],
};

const BIND = {
  event: 'network.bind_port',
  port_id: ABSENT,
  mac_address: '52:54:00:00:05:01',
  status: 'ACTIVE',
  device_id: ABSENT,
  'binding:host_id': ABSENT,
  'binding:vnic_type': 'baremetal',
};
const events = (title: string, body: unknown, v?: number) =>
  post(title, '/v1/events', body, v === undefined ? {} : { v });

export const eventGroup: RequestGroup = {
  name: 'events',
  requests: [
    events('bind', { events: [BIND] }),
    ...atVersions([53, 54], () => events('bind', { events: [BIND] })),
    events('unbind and delete', {
      events: [
        { ...BIND, event: 'network.unbind_port' },
        { ...BIND, event: 'network.delete_port' },
      ],
    }),
    events('none', { events: [] }),
    events('no key', {}),
    events('an unknown event', { events: [{ event: 'network.dance' }] }),
    events('an event without name', { events: [{ port_id: ABSENT }] }),
    events('a bind without port', { events: [{ event: 'network.bind_port' }] }),
    events('a bad address', { events: [{ ...BIND, mac_address: 'x' }] }),
    events('an unknown key in an event', { events: [{ ...BIND, colour: 1 }] }),
    events('an unknown key', { events: [BIND], colour: 1 }),
    events('text', { events: 'x' }),
    get('GET', '/v1/events'),
  ],
};
