/** Requests of the agent: lookup, heartbeat, continue_inspection. */
import { atVersions, enroll, get, nodeIs, patch, post, put, type RequestGroup, replace } from '../request.ts';

const ABSENT = '6a8b3c1e-0000-4000-8000-00000000ffff';
const MAC = '52:54:00:00:02:01';
const beat = (title: string, body: unknown, v = 68, node = '{node}') =>
  post(title, `/v1/heartbeat/${node}`, body, { v });
const CALLBACK = 'http://127.0.0.1:1/';

export const ramdisk: RequestGroup = {
  name: 'ramdisk',
  requests: [
    enroll('enroll', {
      name: 'r',
      deploy_interface: 'direct',
      driver_info: { deploy_kernel: 'http://127.0.0.1:1/k', deploy_ramdisk: 'http://127.0.0.1:1/r' },
    }),
    post('port', '/v1/ports', { node_uuid: '{node}', address: MAC }),
    get('lookup nothing', '/v1/lookup'),
    get('lookup a node that is not looked for', '/v1/lookup?node_uuid={node}'),
    get('lookup its address', `/v1/lookup?addresses=${MAC}`),
    get('lookup an absent node', `/v1/lookup?node_uuid=${ABSENT}`),
    get('lookup an absent address', '/v1/lookup?addresses=52:54:00:00:02:99'),
    get('lookup a bad address', '/v1/lookup?addresses=x'),
    get('lookup a bad uuid', '/v1/lookup?node_uuid=x'),
    get('lookup an unknown argument', '/v1/lookup?colour=red'),
    get('lookup before it was', `/v1/lookup?addresses=${MAC}`, { v: 21 }),
    get('lookup without version', `/v1/lookup?addresses=${MAC}`, { v: null }),
    get('heartbeat by GET', '/v1/heartbeat/{node}'),
    beat('heartbeat of an enrolled node', { callback_url: CALLBACK }),
    beat('heartbeat of an absent node', { callback_url: CALLBACK }, 68, ABSENT),
    beat('heartbeat without url', {}),
    beat('heartbeat before it was', { callback_url: CALLBACK }, 21),
    beat('heartbeat of a bad version', { callback_url: CALLBACK, agent_version: '1' }, 35),
    beat('heartbeat with an unknown key', { callback_url: CALLBACK, colour: 1 }),
    beat('heartbeat without body', ''),
    beat('heartbeat with a token before it was', { callback_url: CALLBACK, agent_token: 'x' }, 61),
    beat('heartbeat with a certificate before it was', { callback_url: CALLBACK, agent_verify_ca: 'x' }, 67),
    post('continue inspection before it was', '/v1/continue_inspection', {}),
    put(
      'manage',
      '/v1/nodes/{node}/states/provision',
      { target: 'manage' },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    get('lookup when manageable', '/v1/lookup?node_uuid={node}'),
    put(
      'clean wait',
      '/v1/nodes/{node}/states/provision',
      { target: 'provide' },
      { until: nodeIs({ provision_state: 'clean wait' }) },
    ),
    get('lookup when it waits', '/v1/lookup?node_uuid={node}', { bind: { token: 'config.agent_token' } }),
    get('lookup again', '/v1/lookup?node_uuid={node}'),
    get('lookup by address when it waits', `/v1/lookup?addresses=${MAC.toUpperCase()},52:54:00:00:02:77`),
    ...atVersions([22, 61, 62], () => get('lookup', '/v1/lookup?node_uuid={node}')),
    get('driver_internal_info', '/v1/nodes/{node}?fields=driver_internal_info'),
    beat('heartbeat without token', { callback_url: CALLBACK, agent_version: '9.0.0' }),
    beat('heartbeat with a wrong token', {
      callback_url: CALLBACK,
      agent_token: 'wrong',
      agent_version: '9.0.0',
    }),
    beat('heartbeat with a bad url', { callback_url: 'x', agent_token: '{token}' }),
    beat(
      'heartbeat with a bad status',
      { callback_url: CALLBACK, agent_token: '{token}', agent_status: 'tired' },
      72,
    ),
    put(
      'abort',
      '/v1/nodes/{node}/states/provision',
      { target: 'abort' },
      { until: nodeIs({ provision_state: 'clean failed' }) },
    ),
    get('lookup after abort', '/v1/lookup?node_uuid={node}'),
    beat('heartbeat after abort', { callback_url: CALLBACK, agent_token: '{token}' }),
    patch('maintenance off', '/v1/nodes/{node}', [replace('/maintenance', false)]),
    put(
      'manage again',
      '/v1/nodes/{node}/states/provision',
      { target: 'manage' },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
  ],
};
