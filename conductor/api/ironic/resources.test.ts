/** The resources beside nodes and ports, as an operator's client sees them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
let node: string;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
  node = (await call('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'holder' })).body.uuid;
});
afterAll(() => test.close());

const NONE = '6a8b3c1e-0000-4000-8000-00000000ffff';
const MAC = '52:54:00:cc:00:0';

describe('chassis', () => {
  it('contain nodes, and can not be deleted before them', async () => {
    const { body: chassis } = await call('POST', '/v1/chassis', { description: 'rack 1' });
    expect(Object.keys(chassis)).toContain('nodes');
    const at = `/v1/chassis/${chassis.uuid}`;
    await call('PATCH', '/v1/nodes/holder', [{ op: 'add', path: '/chassis_uuid', value: chassis.uuid }]);
    expect((await call('GET', `${at}/nodes`)).body.nodes).toMatchObject([{ uuid: node }]);
    expect((await call('GET', `${at}/nodes/detail`)).body.nodes[0].chassis_uuid).toBe(chassis.uuid);
    expect((await call('GET', `/v1/nodes?chassis_uuid=${NONE}`)).status).toBe(404);
    expect(await call('DELETE', at)).toMatchObject({ status: 400, error: expect.stringContaining('holder') });
    await call('PATCH', '/v1/nodes/holder', [{ op: 'remove', path: '/chassis_uuid' }]);
    expect((await call('DELETE', at)).status).toBe(204);
    expect((await call('GET', at)).status).toBe(404);
  });
});

describe('port groups', () => {
  it('contain ports of one node', async () => {
    const { body: group } = await call('POST', '/v1/portgroups', { node_uuid: node, name: 'bond0' });
    expect(group).toMatchObject({ mode: 'active-backup', standalone_ports_supported: true, address: null });
    const port = { address: `${MAC}1`, node_uuid: node, portgroup_uuid: group.uuid };
    const { body: member } = await call('POST', '/v1/ports', port);
    expect(member.portgroup_uuid).toBe(group.uuid);
    expect((await call('GET', '/v1/portgroups/bond0/ports')).body.ports).toMatchObject([
      { uuid: member.uuid },
    ]);
    expect((await call('GET', '/v1/ports?portgroup=bond0&fields=uuid')).body.ports).toHaveLength(1);
    expect((await call('GET', '/v1/nodes/holder/portgroups')).body.portgroups).toHaveLength(1);
    expect(await call('DELETE', '/v1/portgroups/bond0')).toMatchObject({
      status: 400,
      error: expect.stringContaining(member.uuid),
    });
    await call('DELETE', `/v1/ports/${member.uuid}`);
    expect((await call('DELETE', '/v1/portgroups/bond0')).status).toBe(204);
  });

  it('reject ports of another node, names in use, and moves', async () => {
    const other = (await call('POST', '/v1/nodes', { driver: 'fake-hardware' })).body.uuid;
    const { body: group } = await call('POST', '/v1/portgroups', { node_uuid: node, name: 'bond1' });
    const foreign = { address: `${MAC}2`, node_uuid: other, portgroup_uuid: group.uuid };
    expect((await call('POST', '/v1/ports', foreign)).error).toContain(`of node ${node}`);
    expect((await call('POST', '/v1/portgroups', { node_uuid: node, name: 'bond1' })).status).toBe(409);
    const move = [{ op: 'replace', path: '/node_uuid', value: other }];
    expect((await call('PATCH', '/v1/portgroups/bond1', move)).status).toBe(400);
    const reset = [{ op: 'remove', path: '/standalone_ports_supported' }];
    expect((await call('PATCH', '/v1/portgroups/bond1', reset)).body.standalone_ports_supported).toBe(true);
    expect((await call('GET', '/v1/portgroups', undefined, { minor: 22 })).status).toBe(404);
    expect((await call('GET', '/v1/portgroups?fields=mode', undefined, { minor: 25 })).status).toBe(406);
  });
});

describe('traits', () => {
  const at = '/v1/nodes/holder/traits';
  it('are replaced, added and removed', async () => {
    expect((await call('PUT', at, { traits: ['CUSTOM_B', 'HW_CPU_X86_VMX'] })).status).toBe(204);
    const added = await call('PUT', `${at}/CUSTOM_A`);
    expect(added.status).toBe(204);
    expect(added.headers['location']).toContain(`/v1/nodes/${node}/traits/CUSTOM_A`);
    expect((await call('GET', at)).body).toEqual({ traits: ['CUSTOM_A', 'CUSTOM_B', 'HW_CPU_X86_VMX'] });
    expect((await call('DELETE', `${at}/CUSTOM_A`)).status).toBe(204);
    expect((await call('DELETE', `${at}/CUSTOM_A`)).status).toBe(404);
    expect((await call('DELETE', at)).status).toBe(204);
    expect((await call('GET', at)).body).toEqual({ traits: [] });
  });

  it.each([
    ['a word that is no trait', ['GOLD']],
    ['a custom one in small letters', ['CUSTOM_gold']],
    ['51 of them', Array.from({ length: 51 }, (_, n) => `CUSTOM_${n}`)],
    ['a text', 'CUSTOM_A'],
  ])('refuse %s', async (_, traits) => {
    expect((await call('PUT', at, { traits })).status).toBe(400);
    expect((await call('GET', at)).body).toEqual({ traits: [] });
  });
});

describe('deploy templates', () => {
  const step = { interface: 'bios', step: 'apply_configuration', args: {}, priority: 150 };

  it('are created, changed and found by name', async () => {
    const { body, headers } = await call('POST', '/v1/deploy_templates', {
      name: 'CUSTOM_HT',
      steps: [step],
    });
    expect(headers['location']).toContain(`/v1/deploy_templates/${body.uuid}`);
    const patch = [{ op: 'replace', path: '/steps/0/priority', value: 20 }];
    expect((await call('PATCH', '/v1/deploy_templates/CUSTOM_HT', patch)).body.steps[0].priority).toBe(20);
    expect((await call('GET', '/v1/deploy_templates')).body.deploy_templates).toMatchObject([
      { uuid: body.uuid, name: 'CUSTOM_HT' },
    ]);
    expect((await call('GET', '/v1/deploy_templates/detail')).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['a name that is no trait', { name: 'gold' }, 'no trait'],
    ['no steps', { steps: [] }, 'steps must not be empty'],
    ['a step without args', { steps: [{ ...step, args: undefined }] }, 'steps[0] must have'],
    ['an unknown interface', { steps: [{ ...step, interface: 'lid' }] }, 'steps[0].interface'],
    ['a negative priority', { steps: [step, { ...step, step: 'b', priority: -1 }] }, 'steps[1].priority'],
    ['a step twice', { steps: [step, step] }, 'twice'],
  ])('refuse %s', async (_, change, text) => {
    const answer = await call('POST', '/v1/deploy_templates', { name: 'CUSTOM_X', steps: [step], ...change });
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining(text) });
  });
});

describe('volumes', () => {
  it('change only while the node is off', async () => {
    const target = { node_uuid: node, volume_type: 'iscsi', volume_id: 'v1', boot_index: 0 };
    const { body } = await call('POST', '/v1/volume/targets', target);
    const at = `/v1/volume/targets/${body.uuid}`;
    const patch = [{ op: 'replace', path: '/boot_index', value: 3 }];
    await test.store.nodes.update(node, { powerState: 'power on' }, new Date());
    expect(await call('PATCH', at, patch)).toMatchObject({
      status: 400,
      error: expect.stringContaining('Power it off first'),
    });
    expect((await call('DELETE', at)).status).toBe(400);
    await test.store.nodes.update(node, { powerState: 'power off' }, new Date());
    expect((await call('PATCH', at, patch)).body.boot_index).toBe(3);
    expect((await call('GET', '/v1/nodes/holder/volume/targets')).body.targets).toHaveLength(1);
    expect((await call('DELETE', at)).status).toBe(204);
  });

  it('have an index of links', async () => {
    const { body } = await call('GET', '/v1/volume');
    expect(body).toMatchObject({ connectors: [{ rel: 'self' }, {}], targets: [{}, {}] });
    const connector = { node_uuid: node, type: 'iqn', connector_id: 'iqn.2026-01.test:a' };
    expect((await call('POST', '/v1/volume/connectors', connector)).status).toBe(201);
    expect((await call('POST', '/v1/volume/connectors', connector)).status).toBe(409);
  });
});

describe('shards and events', () => {
  it('are listed and validated', async () => {
    await call('POST', '/v1/nodes', { driver: 'fake-hardware', shard: 's1' });
    const { shards } = (await call('GET', '/v1/shards')).body;
    expect(shards).toContainEqual({ name: 's1', count: 1 });
    const event = {
      event: 'network.bind_port',
      port_id: NONE,
      mac_address: `${MAC}5`,
      status: 'ACTIVE',
      device_id: NONE,
      'binding:host_id': NONE,
      'binding:vnic_type': 'baremetal',
    };
    expect((await call('POST', '/v1/events', { events: [event] })).status).toBe(204);
    const odd = { ...event, event: 'network.dance' };
    expect((await call('POST', '/v1/events', { events: [event, odd] })).error).toContain('events[1].event');
  });
});

describe('allocations', () => {
  const settled = async (uuid: string) => {
    await expect
      .poll(async () => (await call('GET', `/v1/allocations/${uuid}`)).body.state)
      .not.toBe('allocating');
    return (await call('GET', `/v1/allocations/${uuid}`)).body;
  };
  const available = async (name: string, fields: object = {}) => {
    const { uuid } = (await call('POST', '/v1/nodes', { driver: 'fake-hardware', name, ...fields })).body;
    const ready = { provisionState: 'available', powerState: 'power off' } as const;
    await test.store.nodes.update(uuid, ready, new Date());
    return uuid as string;
  };

  it('get a node with the requested traits, and free it', async () => {
    await available('gold1', { resource_class: 'gold' });
    const fitting = await available('gold2', { resource_class: 'gold' });
    await call('PUT', '/v1/nodes/gold2/traits', { traits: ['CUSTOM_GPU'] });
    const created = await call('POST', '/v1/allocations', { resource_class: 'gold', traits: ['CUSTOM_GPU'] });
    expect(created).toMatchObject({ status: 201, body: { state: 'allocating', node_uuid: null } });
    const { uuid } = created.body;
    expect(await settled(uuid)).toMatchObject({ state: 'active', node_uuid: fitting });
    expect((await call('GET', '/v1/nodes/gold2')).body).toMatchObject({
      instance_uuid: uuid,
      allocation_uuid: uuid,
      instance_info: { traits: ['CUSTOM_GPU'] },
    });
    expect((await call('GET', '/v1/nodes/gold2/allocation')).body.uuid).toBe(uuid);
    expect((await call('DELETE', `/v1/allocations/${uuid}`)).status).toBe(204);
    expect((await call('GET', '/v1/nodes/gold2')).body).toMatchObject({
      instance_uuid: null,
      allocation_uuid: null,
    });
  });

  it('prefer the node with their name, use no node twice, and report why there is none', async () => {
    await Promise.all([1, 2, 3].map((n) => available(`tin${n}`, { resource_class: 'tin' })));
    const named = (await call('POST', '/v1/allocations', { resource_class: 'tin', name: 'tin2' })).body;
    const more = await Promise.all(
      [1, 2, 3].map(() => call('POST', '/v1/allocations', { resource_class: 'tin' })),
    );
    const all = await Promise.all([named, ...more.map(({ body }) => body)].map(({ uuid }) => settled(uuid)));
    expect(all[0].node_uuid).toBe((await call('GET', '/v1/nodes/tin2')).body.uuid);
    const taken = all.map(({ node_uuid }) => node_uuid).filter((uuid) => uuid !== null);
    expect(new Set(taken).size).toBe(3);
    expect(all.filter(({ state }) => state === 'error')).toMatchObject([
      { last_error: expect.stringContaining('Of 3 of the resource class tin 3 are in use') },
    ]);
  });

  it('are deleted when the instance is removed from their node, and when it is undeployed', async () => {
    const uuid = await available('zinc1', { resource_class: 'zinc' });
    for (const release of [
      () => call('PATCH', '/v1/nodes/zinc1', [{ op: 'remove', path: '/instance_uuid' }]),
      async () => {
        await test.store.nodes.update(uuid, { provisionState: 'active' }, new Date());
        return call('PUT', '/v1/nodes/zinc1/states/provision', { target: 'deleted' });
      },
    ]) {
      const { body } = await call('POST', '/v1/allocations', { resource_class: 'zinc' });
      expect(await settled(body.uuid)).toMatchObject({ state: 'active' });
      expect((await release()).status).toBeLessThan(300);
      await expect.poll(async () => (await call('GET', `/v1/allocations/${body.uuid}`)).status).toBe(404);
      await expect
        .poll(async () => (await call('GET', '/v1/nodes/zinc1')).body)
        .toMatchObject({ provision_state: 'available', instance_uuid: null, allocation_uuid: null });
    }
  });

  it('are kept while their node is active, and can be created for an active node', async () => {
    const uuid = await available('lead1', { resource_class: 'lead' });
    await test.store.nodes.update(uuid, { provisionState: 'active' }, new Date());
    const { body } = await call('POST', '/v1/allocations', { node: 'lead1', name: 'mine' });
    expect(body).toMatchObject({ state: 'active', node_uuid: uuid, resource_class: 'lead' });
    expect((await call('DELETE', '/v1/allocations/mine')).status).toBe(409);
    expect((await call('POST', '/v1/allocations', { node: 'lead1' })).status).toBe(409);
  });

  it.each<[string, object, string]>([
    ['no resource class', {}, 'resource_class'],
    ['a candidate that is not there', { resource_class: 'x', candidate_nodes: ['nobody'] }, 'nobody'],
    ['a bad trait', { resource_class: 'x', traits: ['gold'] }, 'gold'],
    ['a bad name', { resource_class: 'x', name: 'a b' }, 'a b'],
    ['a state', { resource_class: 'x', state: 'active' }, 'state'],
  ])('refuse %s', async (_, body, text) => {
    const answer = await call('POST', '/v1/allocations', body);
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining(text) });
  });
});
