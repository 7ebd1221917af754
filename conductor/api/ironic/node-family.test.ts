import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
});
afterAll(() => test.close());

const LIMIT_MS = 5_000;

async function newNode(fields: object = {}): Promise<string> {
  const { body, error } = await call('POST', '/v1/nodes', { driver: 'fake-hardware', ...fields });
  expect(error).toBe('');
  return body.uuid;
}

const shown = async (uuid: string) => (await call('GET', `/v1/nodes/${uuid}`)).body;

async function settled(uuid: string, field: string, value: unknown): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const node = await shown(uuid);
    if (node[field] === value && node.reservation === null && node.target_power_state === null) return;
    if (Date.now() > deadline)
      throw new Error(`${field} is ${node[field]}, not ${value}: ${node.last_error}`);
    await sleep(2);
  }
}

const patch = (uuid: string, path: string, value: unknown) =>
  call('PATCH', `/v1/nodes/${uuid}`, [
    value === null ? { op: 'remove', path } : { op: 'replace', path, value },
  ]);

const listed = async (query: string, minor?: number): Promise<string[]> => {
  const options = minor === undefined ? {} : { minor };
  const { body } = await call('GET', `/v1/nodes${query}`, undefined, options);
  return body.nodes.map((node: { uuid: string }) => node.uuid);
};

describe('child nodes', () => {
  it('are left out of lists unless they are requested', async () => {
    const parent = await newNode({ name: 'chassis-1' });
    const child = await newNode({ name: 'dpu-1', parent_node: 'chassis-1' });
    const instance_uuid = '6a8b3c1e-0000-4000-8000-00000000aaaa';
    await patch(child, '/instance_uuid', instance_uuid);
    expect(await shown(child)).toMatchObject({ parent_node: parent });
    for (const minor of [1, 82, 83]) {
      expect(await listed('', minor)).toContain(parent);
      expect(await listed('', minor)).not.toContain(child);
    }
    expect(await listed('?include_children=true')).toEqual(expect.arrayContaining([parent, child]));
    expect(await listed('?parent_node=chassis-1')).toEqual([child]);
    expect(await listed(`?parent_node=${parent}`)).toEqual([child]);
    expect(await listed('?parent_node=6a8b3c1e-0000-4000-8000-00000000ffff')).toEqual([]);
    expect(await listed(`?instance_uuid=${instance_uuid}`, 82)).toEqual([child]);
    expect((await call('GET', '/v1/nodes/detail?include_children=yes')).body.nodes.length).toBeGreaterThan(1);
    expect((await call('GET', `/v1/nodes/${parent}/children`)).body).toEqual({
      children: [child],
      links: { href: `http://127.0.0.1/v1/nodes?parent_node=${parent}`, rel: 'children' },
    });
  });

  it('are new with 1.83', async () => {
    const parent = await newNode();
    const older = { minor: 82 };
    expect((await call('GET', `/v1/nodes/${parent}/children`, undefined, older)).status).toBe(404);
    for (const query of ['include_children=true', `parent_node=${parent}`, 'fields=parent_node']) {
      expect((await call('GET', `/v1/nodes?${query}`, undefined, older)).status).toBe(406);
    }
    const body = { driver: 'fake-hardware', parent_node: parent };
    expect((await call('POST', '/v1/nodes', body, older)).status).toBe(406);
  });

  it('have an existing parent that is not a child itself and has the same owner', async () => {
    const parent = await newNode({ owner: 'acme' });
    const child = await newNode({ owner: 'acme', parent_node: parent });
    const single = await newNode({ owner: 'acme' });
    const foreign = await newNode();
    for (const [uuid, value, text] of [
      [single, child, 'itself a child'],
      [single, single, 'its own parent'],
      [single, foreign, 'of the same owner'],
      [single, 'nobody', 'of the same owner'],
      [single, 7, 'of the same owner'],
      [parent, single, 'has children itself'],
    ] as const) {
      expect(await patch(uuid, '/parent_node', value)).toMatchObject({
        status: 400,
        error: expect.stringContaining(text),
      });
    }
    expect(await call('DELETE', `/v1/nodes/${parent}`)).toMatchObject({
      status: 409,
      error: expect.stringContaining('has child nodes'),
    });
    expect((await patch(child, '/parent_node', null)).body.parent_node).toBeNull();
    expect((await call('DELETE', `/v1/nodes/${parent}`)).status).toBe(204);
  });

  it('are powered with their parent, unless they have their own supply', async () => {
    const parent = await newNode();
    const child = await newNode({ parent_node: parent });
    const own = await newNode({ parent_node: parent, driver_info: { has_dedicated_power_supply: true } });
    const power = (uuid: string, target: string) => call('PUT', `/v1/nodes/${uuid}/states/power`, { target });
    expect((await power(own, 'power on')).status).toBe(202);
    await settled(own, 'power_state', 'power on');
    expect((await shown(parent)).power_state).toBeNull();
    await power(child, 'rebooting');
    await settled(child, 'power_state', 'power on');
    await settled(parent, 'power_state', 'power on');
    await power(parent, 'power off');
    await settled(parent, 'power_state', 'power off');
    expect((await shown(child)).power_state).toBe('power off');
    expect((await shown(own)).power_state).toBe('power on');
    await patch(child, '/driver_info', { fake_fail: ['power.set_power_state'] });
    await power(child, 'power on');
    await settled(child, 'power_state', 'power off');
    await patch(parent, '/driver_info', { fake_fail: ['power.set_power_state'] });
    await test.store.nodes.update(parent, { powerState: 'power off' }, new Date());
    await patch(child, '/driver_info', {});
    await power(child, 'power on');
    await settled(parent, 'power_state', 'power off');
    await settled(child, 'power_state', 'power off');
    expect((await shown(child)).last_error).toContain('Failed to change power state');
  });

  it('run steps of their parent', async () => {
    const parent = await newNode();
    const children = [await newNode({ parent_node: parent }), await newNode({ parent_node: parent })];
    const settings = [{ name: 'Turbo', value: 'on' }];
    const clean = (step: object) =>
      call('PUT', `/v1/nodes/${parent}/states/provision`, {
        target: 'clean',
        clean_steps: [{ interface: 'bios', step: 'apply_configuration', args: { settings }, ...step }],
        disable_ramdisk: true,
      });
    const bios = async (uuid: string) => (await call('GET', `/v1/nodes/${uuid}/bios`)).body.bios.length;
    await call('PUT', `/v1/nodes/${parent}/states/provision`, { target: 'manage' });
    await settled(parent, 'provision_state', 'manageable');
    expect((await clean({ execute_on_child_nodes: true })).status).toBe(202);
    await settled(parent, 'provision_state', 'manageable');
    expect(await Promise.all([parent, ...children].map(bios))).toEqual([0, 1, 1]);
    const limited = {
      execute_on_child_nodes: true,
      limit_child_node_execution: [children[1]],
      args: { settings: [] },
    };
    expect((await clean(limited)).status).toBe(202);
    await settled(parent, 'provision_state', 'manageable');
    expect(await Promise.all([parent, ...children].map(bios))).toEqual([0, 1, 0]);
    expect((await clean({ execute_on_child_nodes: true, limit_child_node_execution: [parent] })).status).toBe(
      202,
    );
    await settled(parent, 'provision_state', 'clean failed');
    expect((await shown(parent)).last_error).toContain(`${parent} is no child of node ${parent}`);
  });

  it('that are locked fail the step of their parent', async () => {
    const parent = await newNode();
    const child = await newNode({ parent_node: parent });
    await call('PUT', `/v1/nodes/${parent}/states/provision`, { target: 'manage' });
    await settled(parent, 'provision_state', 'manageable');
    const clean_steps = [{ interface: 'deploy', step: 'hold', execute_on_child_nodes: true }];
    await call('PUT', `/v1/nodes/${parent}/states/provision`, { target: 'clean', clean_steps });
    await settled(parent, 'provision_state', 'clean failed');
    expect((await shown(parent)).last_error).toContain(`on child node ${child} it waits for`);
    expect((await shown(child)).reservation).toBeNull();
  });
});
