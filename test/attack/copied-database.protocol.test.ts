/**
 * Somebody copies the database and its log from the data directory, from a backup or a stolen disk, and looks for
 * passwords, tokens, config drives and user data.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provision } from '../fakes/operator.ts';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';

const secret = (name: string): string => `planted-${name}-${randomBytes(12).toString('hex')}`;

const SECRETS = {
  bmc: secret('bmc-password'),
  configDrive: gzipSync(secret('config-drive')).toString('base64'),
  chap: secret('chap-password'),
  rule: secret('rule-password'),
  template: secret('template-password'),
  deployed: secret('deployed-user-data'),
  rescue: secret('rescue-password'),
  importUrl: secret('import-token'),
  bootSecret: '',

  userData: Buffer.from(secret('user-data')).toString('base64'),
  adminPass: secret('admin-pass'),
  token: '',
};

let conductor: AttackedConductor;

/** Bytes of the database and its log. */
async function databaseBytes(): Promise<Buffer> {
  const names = (await readdir(conductor.dataDir)).filter((name) => /\.db(-wal|-shm|-journal)?$/.test(name));
  expect(names).toContain('ingot.db');
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(conductor.dataDir, name)))));
}

/** Also as an SQLite index or another encoding could hold it. */
const formsOf = (text: string): Buffer[] => [
  Buffer.from(text),
  Buffer.from(Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1)),
  Buffer.from(Buffer.from(text).toString('hex')),
];

async function plant(): Promise<void> {
  const { api } = conductor;
  const post = async (path: string, body: object) => {
    const answer = await api('POST', path, { body });
    expect([path, answer.status, answer.error]).toEqual([path, 201, '']);
    return answer.body;
  };
  // What a node knows: the password of its BMC, a config drive, an agent's token.
  const { node, mac } = await conductor.nodeAwaitingAgent('deploy', {
    fields: { driver_info: { ipmi_password: SECRETS.bmc } },
  });
  const patch = [{ op: 'add', path: '/instance_info/configdrive', value: SECRETS.configDrive }];
  const idle = await conductor.fakeNode();
  expect((await api('PATCH', `/v1/nodes/${idle.node}`, { body: patch })).status).toBe(200);
  const script = await conductor.provisioning('GET', `/boot/script.ipxe?mac=${mac}`);
  SECRETS.bootSecret = / ingot\.[\w.-]*secret=([\w-]{43})/.exec(script.text)?.[1] ?? '';
  const lookup = await conductor.provisioning('GET', `/v1/lookup?addresses=${mac}&node_uuid=${node}`);
  SECRETS.token = lookup.body.config?.agent_token ?? '';
  // What a node is told: user data of its deployment, the password of a rescue.
  const { operator } = conductor;
  const told = await conductor.fakeNode({}, ['manage', 'provide']);
  await operator.ask(told, provision({ target: 'active', configdrive: { user_data: SECRETS.deployed } }));
  await operator.reach(told, 'active');
  await operator.ask(told, provision({ target: 'rescue', rescue_password: SECRETS.rescue }));
  await operator.reach(told, 'rescue');
  await post('/v1/volume/targets', {
    node_uuid: idle.node,
    volume_type: 'iscsi',
    volume_id: 'x',
    boot_index: 0,
    properties: { auth_password: SECRETS.chap },
  });
  await post('/v1/inspection_rules', {
    actions: [{ op: 'set-attribute', args: { path: '/driver_info/ipmi_password', value: SECRETS.rule } }],
  });
  await post('/v1/deploy_templates', {
    name: 'CUSTOM_TEMPLATE',
    steps: [{ interface: 'deploy', step: 'deploy', args: { password: SECRETS.template }, priority: 10 }],
  });
}

async function plantServer(): Promise<void> {
  const flavor = { id: 'f1', name: 'small', ram: 1, vcpus: 1, disk: 1 };
  expect((await conductor.facade('POST', '/compute/v2.1/flavors', { body: { flavor } })).status).toBe(200);
  const image = await conductor.facade('POST', '/image/v2/images', {
    body: { name: 'i', disk_format: 'raw', container_format: 'bare' },
  });
  const imported = await conductor.facade('POST', '/image/v2/images', {
    body: { name: 'imported', disk_format: 'raw', container_format: 'bare' },
  });
  const uri = `http://192.0.2.1/image?token=${SECRETS.importUrl}`;
  await conductor.facade('POST', `/image/v2/images/${imported.body.id}/import`, {
    body: { method: { name: 'web-download', uri } },
  });
  const path = `/image/v2/images/${image.body.id}/file`;
  const headers = { 'content-type': 'application/octet-stream' };
  await conductor.facade('PUT', path, { body: Buffer.alloc(1 << 20), headers });
  const server = {
    name: 'web',
    flavorRef: 'f1',
    imageRef: image.body.id,
    networks: 'none',
    user_data: SECRETS.userData,
    adminPass: SECRETS.adminPass,
    config_drive: true,
  };
  const made = await conductor.facade('POST', '/compute/v2.1/servers', {
    body: { server },
    headers: { 'openstack-api-version': 'compute 2.73' },
  });
  expect([made.status, made.error]).toEqual([202, '']);
}

beforeAll(async () => {
  conductor = await startAttackedConductor({
    loopback: true,
    compute: true,
    settings: { agent: { allow_plaintext: true } },
  });
  await plant();
  await plantServer();
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

async function expectNoSecret(): Promise<void> {
  const bytes = await databaseBytes();
  for (const [name, text] of Object.entries(SECRETS)) {
    if (text === '') continue;
    for (const form of formsOf(text)) expect([name, bytes.includes(form)]).toEqual([name, false]);
  }
}

describe('a copied database', () => {
  it('shows no secret while the conductor runs, after a stop, and after a kill', async () => {
    expect(SECRETS.token).toMatch(/^[\w-]{20,}$/);
    expect(SECRETS.bootSecret).toMatch(/^[\w-]{43}$/);
    await expectNoSecret();
    await conductor.stop();
    await expectNoSecret();
    await conductor.start();
    await conductor.kill();
    await expectNoSecret();
  });

  it('has a key file beside it that only its owner can read; without it, nothing starts and nothing changes', async () => {
    const { stat, rename } = await import('node:fs/promises');
    const keyFile = join(conductor.dataDir, 'secrets.key');
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await rename(keyFile, join(conductor.dir, 'elsewhere.key'));
    await expect(conductor.start()).rejects.toThrow(
      /encrypted with the key [0-9a-f]{8}, but it is not in the key file .*secrets\.key .*Without it these are lost/s,
    );
    await conductor.start({ secrets: { key_file: join(conductor.dir, 'elsewhere.key') } });
    const { body } = await conductor.api('GET', '/v1/nodes');
    expect(body.nodes).toHaveLength(3);
  });

  it('to which somebody can write does not give one node the password of another', async () => {
    await conductor.stop();
    const db = new DatabaseSync(join(conductor.dataDir, 'ingot.db'));
    const rows = db
      .prepare("select rowid, node_uuid, value from secrets where pointer = '/driverInfo/ipmi_password'")
      .all();
    expect(rows).toHaveLength(1);
    const other = db.prepare('select uuid from nodes where uuid <> ?').get(rows[0]?.['node_uuid'] ?? '')?.[
      'uuid'
    ];
    db.prepare(`update nodes set driver_info = '{"ipmi_password":"******"}' where uuid = ?`).run(other ?? '');
    db.prepare(
      "insert into secrets (node_uuid, pointer, value) values (?, '/driverInfo/ipmi_password', ?)",
    ).run(other ?? '', rows[0]?.['value'] ?? '');
    db.close();
    await conductor.start();
    const answer = await conductor.api('GET', `/v1/nodes/${other}`);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(SECRETS.bmc);
    const place = `secrets:node:${other}:/driverInfo/ipmi_password`;
    expect(await conductor.logged(`The secret ${place} in the database cannot be decrypted`)).toHaveLength(1);
  });
});
