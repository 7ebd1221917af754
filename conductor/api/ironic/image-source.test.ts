/** Images of the image service, named by those who may see them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTestApi } from '../../../test/fakes/api.ts';
import { INTERFACE_TYPES, type NewNode } from '../../domain/node.ts';
import type { Caller } from '../../domain/policy.ts';
import { createApi } from './api.ts';

const admin: Caller = {
  user: 'ann',
  scope: { kind: 'project', id: 'blue' },
  role: 'admin',
  service: false,
};

it.each(['a node that exists', 'a new node'])(
  'of other projects are rejected like missing ones: %s',
  async (which) => {
    const test = await createTestApi({}, undefined, { callerOf: async () => admin });
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
    const isNew = which === 'a new node';
    const patch = async (path: string, value: unknown) => {
      const [, field = '', key] = path.split('/');
      const created = { driver: 'fake-hardware', [field]: key === undefined ? value : { [key]: value } };
      const response = await api.inject({
        method: isNew ? 'POST' : 'PATCH',
        url: isNew ? '/v1/nodes' : `/v1/nodes/${node.uuid}`,
        headers: { 'x-openstack-ironic-api-version': '1.78' },
        payload: (isNew ? created : [{ op: 'add', path, value }]) as never,
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
      expect((await patch(path!, value))[0]).toBe(isNew ? 201 : 200);
    expect(asked.map(([uuid]) => uuid)).toEqual([theirs, theirs, theirs, ours]);
    expect(asked[0]?.[1]).toEqual(admin);
    await api.close();
    await test.close();
  },
);
