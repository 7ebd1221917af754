/**
 * Server-side request forgery: users give the conductor URLs that lead into networks which they cannot reach
 * themselves, by every door, by redirects and by names.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Made } from '../fakes/operator.ts';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { setTrap, type Trap } from './trap.ts';

/** An ordinary address, of the attacker's server. */
const OUTSIDE = '44.0.0.1';
/** Of a BMC. */
const BMC = '44.0.0.9';
const INSIDE = '10.83.0.50';
/** Of another BMC, whose node has only its name. */
const NAMED_BMC = '44.0.0.10';
const METADATA = '169.254.169.254';
const NAMES = {
  'outside.test': [[OUTSIDE]],
  'inside.test': [[INSIDE]],
  'metadata.test': [[METADATA]],
  'bmc.test': [[NAMED_BMC]],
  'mapped.test': [['0:0:0:0:0:ffff:0a53:0032']],
  // First the attacker's server, then the inside one.
  'turns.test': [[OUTSIDE], [INSIDE]],
};
const MAC = '52:54:00:a7:00:01';
const SHA256 = 'ab'.repeat(32);

let conductor: AttackedConductor;
let outside: Trap;
/** Nobody may come to these. */
let traps: readonly Trap[];
beforeAll(async () => {
  conductor = await startAttackedConductor({
    compute: true,
    settings: { agent: { allow_plaintext: true } },
    hosts: {
      machine: { mac: MAC },
      inside: { address: INSIDE },
      attacker: { address: '10.83.0.66', isNameServer: true },
    },
  });
  const host = (name: string) => conductor.host(name);
  await host('attacker').run(['ip', 'address', 'add', `${OUTSIDE}/32`, 'dev', 'eth0']);
  for (const bmc of [BMC, NAMED_BMC])
    await host('inside').run(['ip', 'address', 'add', `${bmc}/32`, 'dev', 'eth0']);
  await host('conductor').run(['ip', 'route', 'add', '44.0.0.0/8', 'dev', 'br0']);
  await host('conductor').run(['ip', 'address', 'add', `${METADATA}/32`, 'dev', 'lo']);
  outside = await setTrap(host('attacker'), NAMES);
  traps = [await setTrap(host('inside')), await setTrap(host('conductor'))];
  for (const ipmi_address of [BMC, 'bmc.test']) {
    const body = { driver: 'ipmi', driver_info: { ipmi_address } };
    expect((await conductor.api('POST', '/v1/nodes', { body })).status).toBe(201);
  }
}, 60_000);
afterAll(() => conductor?.[Symbol.asyncDispose]());

const nobodyCame = () => expect(traps.flatMap(({ requests }) => requests)).toEqual([]);

/** Imports the URL as a guest. Returns the status of the image and why it failed. */
async function imported(uri: string): Promise<{ status: string; error: string }> {
  const formats = { name: 'x', disk_format: 'raw', container_format: 'bare' };
  const made = await conductor.facade('POST', '/image/v2/images', { body: formats });
  expect(made.status, made.text).toBe(201);
  const path = `/image/v2/images/${made.body.id}`;
  const asked = await conductor.facade('POST', `${path}/import`, {
    body: { method: { name: 'web-download', uri } },
  });
  if (asked.status !== 202) return { status: String(asked.status), error: asked.text };
  for (;;) {
    const { body } = await conductor.facade('GET', path);
    if (body.status !== 'importing') return { status: body.status, error: body.os_glance_import_error ?? '' };
    await sleep(20);
  }
}

const via = (url: string) => `http://${OUTSIDE}/go?to=${encodeURIComponent(url)}`;

describe('an import', () => {
  it('of an ordinary server works', async () => {
    for (const url of [`http://${OUTSIDE}/disk`, 'http://outside.test/disk', via('http://outside.test/disk')])
      expect(await imported(url)).toEqual({ status: 'active', error: '' });
  });

  it.each([
    `http://${INSIDE}/`,
    'http://10.83.0.1/',
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://[::1]/',
    `http://[::ffff:${INSIDE}]/`,
    `http://[64:ff9b::${INSIDE}]/`,
    `http://${METADATA}/latest/meta-data/`,
    `http://${BMC}/`,
    `http://${NAMED_BMC}/`,
    'http://bmc.test/',
    'http://inside.test/',
    'http://metadata.test/',
    'http://mapped.test/',
  ])('of %s is refused, directly and by a redirect, and tells the guest nothing', async (url) => {
    for (const asked of [url, via(url)]) {
      const { status, error } = await imported(asked);
      expect(['queued', '400']).toContain(status);
      expect(error).toContain('address is not allowed');
      expect(error).not.toMatch(/private|BMC|metadata address|10\.83\.0\.50 is/);
    }
    nobodyCame();
  });

  it('of a name that changes its address gets no further', async () => {
    const { status, error } = await imported(
      `http://turns.test/go?to=${encodeURIComponent('http://turns.test/again')}`,
    );
    expect(status).toBe('queued');
    expect(error).toContain('address is not allowed');
    nobodyCame();
    const answers = outside.queries.filter(({ dns, type }) => dns === 'turns.test' && type === 'A');
    expect(answers.map(({ answer }) => answer)).toEqual([[OUTSIDE], [INSIDE]]);
    expect(outside.requests.at(-1)).toMatchObject({ host: 'turns.test' });
  });
});

describe('a deployment', () => {
  /** The error of a node that is deployed with this image. */
  async function deployed(instance_info: object): Promise<string> {
    const fields = { deploy_interface: 'direct', automated_clean: false, instance_info };
    const made = await conductor.operator.make({ fields, verbs: ['manage', 'provide'] });
    const asked = await conductor.api('PUT', `/v1/nodes/${made.node}/states/provision`, {
      body: { target: 'active' },
    });
    if (asked.status === 400) return asked.error;
    await conductor.operator.reach(made, 'deploy failed');
    const { node } = await conductor.operator.seen(made);
    const history = await conductor.api('GET', `/v1/nodes/${made.node}/history?detail=true`);
    expect(history.text).toContain('outbound.allow');
    return node.last_error;
  }

  it.each([
    ['directly', `http://${INSIDE}/disk`],
    ['by a redirect', via(`http://${INSIDE}/disk`)],
    ['by a name', 'http://inside.test/disk'],
  ])('fetches no image from inside %s, and names the setting', async (_, url) => {
    const error = await deployed({ image_source: url, image_checksum: SHA256 });
    expect(error).toMatch(/image_source: .*10\.83\.0\.50 is a private address .*outbound\.allow/);
    nobodyCame();
  });

  it.each([
    ['directly', `http://${METADATA}/SHA256SUMS`],
    ['by a redirect', via(`http://${METADATA}/SHA256SUMS`)],
    ['by a name', 'http://metadata.test/SHA256SUMS'],
  ])('fetches no checksum file from inside %s', async (_, url) => {
    const error = await deployed({ image_source: `http://${OUTSIDE}/disk`, image_checksum: url });
    expect(error).toMatch(/image_checksum: .*metadata address.*outbound\.allow/);
    nobodyCame();
  });
});

describe('an inspection rule', () => {
  async function inspected(url: string): Promise<string> {
    const rule = { description: 'tell', actions: [{ op: 'api-call', args: { url, retries: 0 } }] };
    const { body, status } = await conductor.api('POST', '/v1/inspection_rules', { body: rule });
    expect(status).toBe(201);
    const made: Made = await conductor.nodeAwaitingAgent('inspect');
    const found = {
      inventory: {
        interfaces: [{ name: 'eth0', mac_address: made.mac }],
        cpu: { count: 1, architecture: 'x86_64' },
        memory: { physical_mb: 1024 },
        disks: [],
        boot: { current_boot_mode: 'bios' },
      },
    };
    const sent = await conductor.host('machine').call('POST', '/v1/continue_inspection', { body: found });
    expect(sent.status, sent.text).toBe(202);
    await conductor.operator.reach(made, 'inspect failed');
    await conductor.api('DELETE', `/v1/inspection_rules/${body.uuid}`);
    const { node } = await conductor.operator.seen(made);
    return node.last_error;
  }

  it.each([
    [`http://${INSIDE}/hook`, '10.83.0.50 is a private address'],
    ['http://inside.test/hook', '10.83.0.50 is a private address'],
    ['http://127.0.0.1:6385/v1/nodes', 'is the conductor itself'],
    [via(`http://${INSIDE}/hook`), 'redirects are not followed'],
  ])('does not call %s', async (url, why) => {
    await conductor.host('machine').setAddress('10.83.0.70');
    expect(await inspected(url)).toContain(why);
    nobodyCame();
  });
});

it('an allowed network is reached, and still neither the conductor nor a BMC in it', async () => {
  await conductor.stop();
  await conductor.start({ outbound: { allow: ['10.83.0.0/24', '44.0.0.0/8', '127.0.0.1'] } });
  const before = outside.requests.length;
  expect(await imported(`http://${INSIDE}/disk`)).toEqual({ status: 'active', error: '' });
  expect(traps[0]?.requests).toHaveLength(1);
  for (const url of ['http://10.83.0.1/', `http://${BMC}/`, `http://${NAMED_BMC}/`, `http://${METADATA}/`])
    expect((await imported(url)).error).toContain('address is not allowed');
  const api = await imported('http://127.0.0.1:6385/v1/nodes');
  expect(api.error).toMatch(/not allowed|port/);
  expect([traps[0]?.requests.length, traps[1]?.requests.length, outside.requests.length]).toEqual([
    1,
    0,
    before,
  ]);
}, 60_000);
