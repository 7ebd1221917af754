import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { member } from '../../../../test/fakes/compute/cloud.ts';
import { createServersWorld, type ServersWorld } from '../../../../test/fakes/compute/servers-world.ts';

const PATH = '/compute/v2.1/scheduler/explain';
let world: ServersWorld;
beforeAll(async () => {
  world = await createServersWorld();
});
afterAll(() => world.close());

describe('POST /scheduler/explain', () => {
  const server = (fields: object = {}) => ({
    server: { name: 'web', imageRef: world.imageRef, flavorRef: '42', ...fields },
  });

  it('takes what POST /servers takes, and makes no server of it', async () => {
    const { status, body } = await world.call('POST', PATH, server({ max_count: 3 }));
    expect([status, body]).toEqual([200, { report: await world.instances.explain({} as never) }]);
    expect(await world.call('GET', '/compute/v2.1/servers')).toMatchObject({ body: { servers: [] } });
    expect(world.instances.calls).toEqual([]);
  });

  it.each([
    [{ flavorRef: 'none' }, 400, 'badRequest'],
    [{ colour: 'red' }, 400, 'badRequest'],
    [{ max_count: 5000 }, 403, 'forbidden'],
  ])('%o is %i', async (fields, code, name) => {
    expect((await world.call('POST', PATH, server(fields))).body[name].code).toBe(code);
  });

  it('is for administrators', async () => {
    expect((await world.call('POST', PATH, server(), { as: member('red') })).status).toBe(403);
  });
});
