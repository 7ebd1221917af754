/** Servers through novaclient, at microversions of old and new clients. */
import { spawn } from 'node:child_process';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../../../../test/fakes/compute/cloud.ts';
import {
  createTestServersApi,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';
import type { Instances } from '../../../servers/instances.ts';
import { createCloudServer } from '../../cloud/cloud-server.ts';
import type { App } from '../../kit/app.ts';
import { novaService } from '../nova-service.ts';

const SCRIPT = `
import json, sys
from keystoneauth1 import exceptions, session
from keystoneauth1.noauth import NoAuth
from novaclient import client, exceptions

endpoint, version, image = sys.argv[1:4]
nova = client.Client(version, session=session.Session(auth=NoAuth(endpoint=endpoint)), endpoint_override=endpoint)
minor = int(version.split('.')[1])
said = {}

def refused(call):
    try:
        call()
    except exceptions.ClientException as error:
        return [error.code, error.message]

more = {'nics': 'auto'} if minor >= 37 else {}
server = nova.servers.create('web', image, '42', meta={'a': 'b'}, userdata='#!/bin/sh', **more)
said['password'] = len(server.adminPass)
server = nova.servers.get(server.id)
said['created'] = [server.status, server.networks]
said['found'] = [one.id == server.id for one in nova.servers.list(search_opts={'name': 'web'}, limit=-1)]
said['by name'] = nova.servers.find(name='web').id == server.id
server.update(name='db')
server.stop()
said['stopped'] = nova.servers.get(server.id).status
server.start()
server.reboot('HARD')
said['rebooting'] = nova.servers.get(server.id).status
server.reset_state('active')
said['rebuilding'] = server.rebuild(image, password='new').status
server.reset_state('active')
said['rescued'] = len(server.rescue()[1]['adminPass'])
server.unrescue()
server.lock()
server.unlock()
said['output'] = server.get_console_output(1)
said['console'] = list(server.get_serial_console('serial').values())[0]['url'][:5]
nova.servers.set_meta(server, {'k': 'v'})
nova.servers.set_meta_item(server, 'z', 'y')
nova.servers.delete_meta(server, ['k'])
said['metadata'] = nova.servers.get(server).metadata
said['addresses'] = list(nova.servers.ips(server))
said['interfaces'] = [one.port_state for one in server.interface_list()]
if minor >= 26:
    server.set_tags(['a'])
    server.add_tag('b c')
    server.delete_tag('a')
    said['tags'] = server.tag_list()
actions = nova.instance_action.list(server)
said['actions'] = sorted(set(one.action for one in actions))
said['action'] = nova.instance_action.get(server, actions[-1].request_id).action
said['groups'] = nova.servers.list_security_group(server)
said['refused'] = [refused(call)[0] for call in (lambda: server.resize('42'), lambda: server.change_password('x'), lambda: server.shelve())]
server.delete()
said['gone'] = refused(lambda: nova.servers.get(server.id))
print(json.dumps(said))
`;

let test: TestServersApi;
let app: App;
let endpoint: string;

beforeAll(async () => {
  test = await createTestServersApi();
  const instances: Instances = {
    ...test.instances,
    async create(request) {
      const servers = await test.instances.create(request);
      for (const { uuid } of servers)
        await test.instances.build(uuid, { host: 'conductor-1', nodeUuid: await test.node() });
      return servers;
    },
  };
  const authentication = { callerOf: async () => admin };
  app = createCloudServer(
    [novaService],
    { ...test.deps, instances },
    authentication,
    pino({ level: 'silent' }),
  );
  endpoint = `${await app.listen({ host: '127.0.0.1', port: 0 })}/compute/v2.1`;
});
afterAll(async () => {
  await app.close();
  await test.close();
});

function python(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/python3', ['-c', SCRIPT, ...args], { timeout: 50_000 });
    const parts: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: Buffer.concat(parts).toString() }));
  });
}

describe('novaclient', () => {
  it.each(['2.1', '2.26', '2.60', '2.73'])('%s', async (version) => {
    const { code, output } = await python(endpoint, version, test.imageRef);
    expect(code, output).toBe(0);
    const said = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    expect(said).toMatchObject({
      password: 12,
      created: ['ACTIVE', { rack: [expect.stringMatching(/^10\.9\.0\./)] }],
      found: [true],
      'by name': true,
      stopped: 'SHUTOFF',
      rebooting: 'HARD_REBOOT',
      rebuilding: 'REBUILD',
      rescued: 12,
      output: 'login:',
      console: 'ws://',
      metadata: { a: 'b', z: 'y' },
      addresses: ['rack'],
      interfaces: ['ACTIVE'],
      actions: [
        'create',
        'lock',
        'reboot',
        'rebuild',
        'rescue',
        'resetState',
        'start',
        'stop',
        'unlock',
        'unrescue',
      ],
      action: 'create',
      groups: [],
      refused: [400, 409, 400],
      gone: [404, expect.stringMatching(/^Instance \S+ could not be found\.$/)],
    });
    if (version !== '2.1') expect(said.tags).toEqual(['b c']);
  });
});
