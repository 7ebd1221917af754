import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
});
afterAll(() => test.close());

const actions = [{ op: 'fail', args: { msg: 'no' } }];
const rules = (body: object, minor?: number) =>
  call('POST', '/v1/inspection_rules', body, minor === undefined ? {} : { minor });

it('inspection rules are created, listed, changed and deleted, from 1.96 on', async () => {
  const conditions = [{ op: '!eq', args: { values: ['{node.name}', 'x'] } }];
  const { body, status } = await rules({ actions, conditions, description: 'mine', priority: 7 });
  expect(status).toBe(201);
  expect(body).toMatchObject({ actions, conditions, priority: 7, phase: 'main', sensitive: false });
  const list = (await call('GET', '/v1/inspection_rules?phase=main')).body.inspection_rules;
  expect(Object.keys(list[0]).toSorted()).toEqual(['description', 'links', 'phase', 'priority', 'uuid']);
  const path = `/v1/inspection_rules/${body.uuid}`;
  const patch = (operation: object) => call('PATCH', path, [operation]);
  expect((await patch({ op: 'replace', path: '/priority', value: 10_000 })).error).toContain('0 to 9999');
  expect((await patch({ op: 'remove', path: '/priority' })).body.priority).toBe(0);
  expect((await patch({ op: 'add', path: '/actions/-', value: { op: 'sing', args: {} } })).error).toContain(
    'actions[1].op "sing" is none of',
  );
  expect((await patch({ op: 'replace', path: '/sensitive', value: true })).body).toMatchObject({
    conditions: null,
    actions: null,
  });
  expect((await call('GET', `${path}?fields=actions`)).body.actions).toBeNull();
  expect((await patch({ op: 'replace', path: '/sensitive', value: false })).error).toContain('stays so');
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  expect((await call('GET', '/v1/inspection_rules', undefined, { minor: 95 })).status).toBe(404);
  expect((await rules({ actions }, 95)).status).toBe(405);
});

it.each<[object, string]>([
  [{}, "'actions' is a required property"],
  [{ actions: [] }, 'must not be empty'],
  [{ actions, phase: 'early' }, 'phase must be main'],
  [{ actions, priority: -1 }, '0 to 9999'],
  [{ actions, conditions: [{ op: 'eq' }] }, 'needs "args"'],
  [{ actions, conditions: 'x' }, 'list of objects'],
])('%j is refused', async (body, text) => {
  expect(await rules(body)).toMatchObject({ status: 400, error: expect.stringContaining(text) });
});
