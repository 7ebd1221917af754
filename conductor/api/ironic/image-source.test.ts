/** Images of the image service, named by those who may see them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTestApi } from '../../../test/fakes/api.ts';
import { INTERFACE_TYPES, type NewNode } from '../../domain/node.ts';
import type { Caller } from '../../domain/policy.ts';
import { createApi } from './api.ts';

const manager: Caller = {
  user: 'ann',
  scope: { kind: 'project', id: 'blue' },
  role: 'manager',
  service: false,
};

it('of other projects are rejected like missing ones', async () => {
  const test = await createTestApi({}, undefined, { callerOf: async () => manager });
  const [ours, theirs] = [randomUUID(), randomUUID()];
  const asked: [string, Caller][] = [];
  const api = createApi({
    ...test.deps,
    seesImage: async (uuid, caller) => {
      asked.push([uuid, caller]);
      return uuid === ours;
    },
  });
  const node = { uuid: randomUUID(), driver: 'fake-hardware', owner: 'blue', provisionState: 'available' };
  const interfaces = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, 'fake'])) as never;
  await test.store.nodes.create({ ...node, interfaces } as NewNode, new Date());
  const patch = async (path: string, value: unknown) => {
    const response = await api.inject({
      method: 'PATCH',
      url: `/v1/nodes/${node.uuid}`,
      headers: { 'x-openstack-ironic-api-version': '1.78' },
      payload: [{ op: 'add', path, value }] as never,
    });
    return [response.statusCode, response.body] as const;
  };
  for (const [path, value] of [
    ['/instance_info/image_source', theirs.toUpperCase()],
    ['/instance_info/image_source', `glance://${theirs}`],
    ['/instance_info', { image_source: theirs }],
  ] as const) {
    const [status, body] = await patch(path, value);
    expect(status).toBe(400);
    expect(body).toContain(`there is no image ${theirs} in the image service`);
  }
  for (const [path, value] of [
    ['/instance_info/image_source', ours],
    ['/instance_info/image_source', 'http://images.test/disk'],
    ['/instance_info/display_name', theirs],
    ['/extra/image_source', theirs],
  ])
    expect((await patch(path!, value))[0]).toBe(200);
  expect(asked.map(([uuid]) => uuid)).toEqual([theirs, theirs, theirs, ours]);
  expect(asked[0]?.[1]).toEqual(manager);
  await api.close();
  await test.close();
});
