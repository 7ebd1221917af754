import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { member } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';

const PATH = '/compute/v2.1/scheduler/explain';
let test: TestServersApi;
beforeAll(async () => {
  test = await createTestServersApi();
});
afterAll(() => test.close());

describe('POST /scheduler/explain', () => {
  const server = (fields: object = {}) => ({
    server: { name: 'web', imageRef: test.imageRef, flavorRef: '42', ...fields },
  });

  it('accepts the body of POST /servers, and creates no server', async () => {
    const { status, body } = await test.call('POST', PATH, server({ max_count: 3 }));
    expect([status, body]).toEqual([200, { report: await test.instances.explain({} as never) }]);
    expect(await test.call('GET', '/compute/v2.1/servers')).toMatchObject({ body: { servers: [] } });
    expect(test.instances.calls).toEqual([]);
  });

  it.each([
    [{ flavorRef: 'none' }, 400, 'badRequest'],
    [{ colour: 'red' }, 400, 'badRequest'],
    [{ max_count: 5000 }, 403, 'forbidden'],
  ])('%o is %i', async (fields, code, name) => {
    expect((await test.call('POST', PATH, server(fields))).body[name].code).toBe(code);
  });

  it('is allowed only for administrators', async () => {
    expect((await test.call('POST', PATH, server(), { as: member('red') })).status).toBe(403);
  });
});
