import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
let node: string;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
  node = (await call('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'old' })).body.uuid;
});
afterAll(() => test.close());

it.each<[method: string, path: string, minor: number, status: number]>([
  ['GET', '/v1/nodes/old/traits', 36, 406],
  ['POST', '/v1/nodes/old/traits', 36, 405],
  ['PUT', '/v1/nodes/old/traits', 36, 405],
  ['PUT', '/v1/nodes/old/traits/CUSTOM_A', 36, 405],
  ['DELETE', '/v1/nodes/old/traits', 36, 404],
  ['DELETE', '/v1/nodes/old/traits/CUSTOM_A', 36, 404],
  ['GET', '/v1/nodes/old/vifs', 27, 404],
  ['PATCH', '/v1/nodes/old/vifs', 27, 404],
  ['PATCH', '/v1/nodes/old/vifs', 28, 405],
  ['PUT', '/v1/volume/targets', 31, 404],
  ['PUT', '/v1/volume/targets', 32, 405],
  ['DELETE', '/v1/allocations/gold', 51, 405],
  ['GET', '/v1/allocations/gold', 51, 404],
  ['DELETE', '/v1/deploy_templates/CUSTOM_A', 54, 405],
])('%s %s of 1.%i is %i', async (method, path, minor, status) => {
  expect((await call(method, path, undefined, { minor })).status).toBe(status);
});

it('fields of ports that are too new can not be removed, nor be given their empty value', async () => {
  const port = { node_uuid: node, address: '52:54:00:0d:00:01' };
  expect((await call('POST', '/v1/ports', { ...port, pxe_enabled: false }, { minor: 18 })).status).toBe(406);
  expect((await call('POST', '/v1/ports', port)).status).toBe(201);
  const remove = [{ op: 'remove', path: '/physical_network' }];
  const { uuid } = (await call('GET', '/v1/ports')).body.ports[0];
  expect((await call('PATCH', `/v1/ports/${uuid}`, remove, { minor: 33 })).status).toBe(406);
  expect((await call('PATCH', `/v1/ports/${uuid}`, remove, { minor: 34 })).status).toBe(200);
});
