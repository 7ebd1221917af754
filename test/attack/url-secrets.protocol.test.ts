/**
 * Passwords and signatures in URLs: whoever reads answers, errors, history, log, agent's view or the rows of the database
 * does not find them, and nobody can have them sent to another host.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawDisk, sha256Of } from '../fakes/image-files.ts';
import { type Made, patch, provision } from '../fakes/operator.ts';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';

const SECRET = 's3cr3t-5f1c';
const AUTHORIZATION = `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}`;
const IMAGE = rawDisk();

let conductor: AttackedConductor;
let server: Server;
let asked: IncomingMessage[];
let origin: string;
/** The same server by another name, which is another origin. */
let elsewhere: string;
beforeAll(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request);
    const { pathname } = new URL(request.url ?? '', origin);
    if (pathname === '/disk') response.end(IMAGE);
    else if (pathname === '/moved') response.writeHead(302, { location: `${elsewhere}/disk` }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  [origin, elsewhere] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  conductor = await startAttackedConductor({
    compute: true,
    loopback: true,
    settings: {
      log_level: 'trace',
      outbound: { allow: ['127.0.0.1'] },
      image_service: { import_ports: [String(port)] },
    },
  });
}, 60_000);
afterAll(async () => {
  await conductor?.[Symbol.asyncDispose]();
  server?.close();
});

const secretUrl = (path: string, base = origin) =>
  `${base.replace('//', `//ada:${SECRET}@`)}${path}?signature=${SECRET}`;
const shownUrl = (path: string) => `${origin.replace('//', '//******@')}${path}?******`;

const enroll = (instance_info: object, more: object = {}) =>
  conductor.operator.make({
    fields: {
      deploy_interface: 'direct',
      automated_clean: false,
      instance_info,
      driver_info: { deploy_kernel: secretUrl('/vmlinuz'), deploy_ramdisk: secretUrl('/ramdisk') },
      ...more,
    },
    port: true,
    verbs: ['manage', 'provide'],
  });

/** Every way in which the node and its past are shown. */
async function everything({ node, mac }: Made): Promise<string> {
  const paths = [
    `/v1/nodes/${node}`,
    '/v1/nodes?detail=true',
    '/v1/nodes?fields=instance_info,driver_info,driver_internal_info,last_error',
    `/v1/nodes/${node}/validate`,
    `/v1/nodes/${node}/states`,
    `/v1/nodes/${node}/history?detail=true`,
    `/ingot/v1/nodes/${node}/timeline`,
  ];
  const answers = await Promise.all(paths.map((path) => conductor.api('GET', path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  const lookup = await conductor.provisioning('GET', `/v1/lookup?addresses=${mac}`);
  return [...answers, lookup].map(({ text }) => text).join('\n') + (await conductor.log());
}

/** The node's deployment fails with this error. */
async function failed(made: Made): Promise<string> {
  await conductor.operator.ask(made, provision({ target: 'active' }));
  await conductor.operator.reach(made, 'deploy failed');
  return (await conductor.operator.seen(made)).node.last_error;
}

/** All rows of the database, except those of the table for secrets. */
function rows(): string {
  const database = new DatabaseSync(join(conductor.dataDir, 'ingot.db'), { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'secrets');
  expect(names).toContain('nodes');
  const all = names.map((name) => database.prepare(`select * from "${name}"`).all());
  database.close();
  return JSON.stringify(all);
}

describe('the secrets of URLs', () => {
  it('are shown nowhere, neither before nor after a failure', async () => {
    const made = await enroll({
      image_source: secretUrl('/gone'),
      image_checksum: secretUrl('/SHA256SUMS'),
      kernel: secretUrl('/vmlinuz'),
    });
    expect(await everything(made)).not.toContain(SECRET);
    const { node } = await conductor.operator.seen(made);
    expect(node.instance_info).toMatchObject({
      image_source: shownUrl('/gone'),
      image_checksum: shownUrl('/SHA256SUMS'),
      kernel: shownUrl('/vmlinuz'),
    });
    expect(node.driver_info).toMatchObject({ deploy_kernel: shownUrl('/vmlinuz') });
    expect(await failed(made)).toContain(`${shownUrl('/SHA256SUMS')}: the server answered HTTP 404`);
    await conductor.operator.ask(made, patch('/instance_info/image_checksum', sha256Of(IMAGE)));
    await conductor.operator.ask(made, provision({ target: 'active' }));
    await conductor.operator.reach(made, 'deploy failed');
    expect(await everything(made)).not.toContain(SECRET);
    expect(rows()).not.toContain(SECRET);
  });

  it('are kept when their mask is sent back, and sent to their own host only', async () => {
    const made = await enroll({ image_source: secretUrl('/moved'), image_checksum: 'ab'.repeat(32) });
    const path = `/v1/nodes/${made.node}`;
    const { body } = await conductor.api('GET', path);
    const answer = await conductor.api('PATCH', path, {
      body: [{ op: 'replace', path: '/instance_info', value: { ...body.instance_info, extra: 1 } }],
    });
    expect([answer.status, answer.body.instance_info.image_source]).toEqual([200, shownUrl('/moved')]);
    asked.length = 0;
    expect(await failed(made)).toContain('digest does not match');
    expect(asked.map(({ url, headers: { host, authorization } }) => [url, host, authorization])).toEqual([
      [`/moved?signature=${SECRET}`, new URL(origin).host, AUTHORIZATION],
      ['/disk', new URL(elsewhere).host, undefined],
    ]);
    expect(await everything(made)).not.toContain(SECRET);
  });

  it('do not follow a mask to another host, path or key', async () => {
    const made = await enroll({ image_source: secretUrl('/disk'), image_checksum: 'ab'.repeat(32) });
    for (const [key, value] of [
      ['image_source', shownUrl('/disk').replace(origin.slice(7), elsewhere.slice(7))],
      ['image_source', shownUrl('/other')],
      ['image_checksum', shownUrl('/disk')],
    ]) {
      const { status, error } = await conductor.api('PATCH', `/v1/nodes/${made.node}`, {
        body: [{ op: 'add', path: `/instance_info/${key}`, value }],
      });
      expect([status, error]).toEqual([400, expect.stringContaining(`instance_info/${key} is the mask`)]);
    }
    const { node } = await conductor.operator.seen(made);
    expect(node.instance_info.image_source).toBe(shownUrl('/disk'));
  });

  it('are masked in templates and rules', async () => {
    const steps = [
      {
        interface: 'deploy',
        step: 'x',
        priority: 10,
        args: { url: secretUrl('/a'), more: [secretUrl('/b')] },
      },
    ];
    const actions = [{ op: 'api-call', args: { url: `${origin}/hook?token=${SECRET}` } }];
    for (const [path, body] of [
      ['/v1/deploy_templates', { name: 'CUSTOM_X', steps }],
      [
        '/v1/runbooks',
        { name: 'CUSTOM_Y', steps: steps.map((step) => ({ ...step, order: 1, priority: undefined })) },
      ],
      ['/v1/inspection_rules', { description: 'x', actions }],
    ] as const) {
      const made = await conductor.api('POST', path, { body });
      expect(made.status, made.text).toBe(201);
      const shown = await conductor.api('GET', `${path}/${made.body.uuid}`);
      expect(shown.text).toContain('?******');
      expect(made.text + shown.text).not.toContain(SECRET);
    }
  });

  it('of an import are not shown, and not in its row', async () => {
    const formats = { name: 'x', disk_format: 'raw', container_format: 'bare' };
    const { body: image } = await conductor.facade('POST', '/image/v2/images', { body: formats });
    const path = `/image/v2/images/${image.id}`;
    const body = { method: { name: 'web-download', uri: secretUrl('/gone') } };
    expect((await conductor.facade('POST', `${path}/import`, { body })).status).toBe(202);
    const stored = rows();
    for (;;) {
      const shown = await conductor.facade('GET', path);
      expect(shown.text).not.toContain(SECRET);
      if (shown.body.status === 'queued' && shown.body.os_glance_import_error !== undefined) break;
      await sleep(20);
    }
    expect(stored + rows() + (await conductor.log())).not.toContain(SECRET);
  });
});
