/**
 * A conductor with the compute façade, started like an operator's, fake machines that are ready for servers, and
 * clouds.yaml for the `openstack` client.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { startOurs } from '../conformance/ours.ts';
import { freePort } from '../conformance/server-process.ts';
import { type Command, type Ran, runCommands } from './interactive-client.ts';

/** auth_type in clouds.yaml. */
export type CloudKind = 'none' | 'http_basic' | 'password';

const USER = { username: 'ada', password: 'correct horse' };
const READY_MS = 30_000;

export interface OpenstackCloud extends AsyncDisposable {
  /** Runs `openstack` commands one after the other; `{dir}` in them is a directory of this cloud. */
  run(commands: readonly Command[], env?: Readonly<Record<string, string>>): Promise<Ran[]>;
  /** Directory for files that commands read. */
  readonly dir: string;
}

export async function startOpenstackCloud(kind: CloudKind, nodes: number): Promise<OpenstackCloud> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-openstack-'));
  const users = join(dir, 'users');
  await writeFile(users, `${USER.username}:${hashSync(USER.password, 4)}\n`);
  const port = await freePort();
  const compute = `http://127.0.0.1:${port}`;
  const conductor = await startOurs({
    INGOT_COMPUTE_LISTEN: `127.0.0.1:${port}`,
    ...(kind === 'none' ? {} : { INGOT_API_AUTH: 'http_basic', INGOT_API_HTPASSWD_FILE: users }),
  });
  const cloud = cloudOf(kind, compute, conductor.baseUrl);
  await writeFile(join(dir, 'clouds.yaml'), JSON.stringify({ clouds: { [kind]: cloud } }));
  await Promise.all(Array.from({ length: nodes }, (_, index) => addNode(conductor.baseUrl, kind, index + 1)));

  return {
    dir,
    run: (commands, env = {}) =>
      runCommands(
        {
          program: '/usr/bin/openstack',
          env: {
            HOME: dir,
            OS_CLOUD: kind,
            OS_CLIENT_CONFIG_FILE: join(dir, 'clouds.yaml'),
            ...env,
          },
          mark: {
            command: 'flavor show end-of-command',
            answer: /^.*No Flavor found for end-of-command.*$/m,
          },
        },
        commands.map((one) => ({ ...one, command: one.command.replaceAll('{dir}', dir) })),
      ),
    async [Symbol.asyncDispose]() {
      await conductor.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As in docs/compute.md. */
function cloudOf(kind: CloudKind, compute: string, bareMetal: string): object {
  if (kind === 'password') {
    return {
      auth_type: 'password',
      auth: {
        auth_url: `${compute}/identity`,
        ...USER,
        project_name: 'default',
        user_domain_name: 'Default',
        project_domain_name: 'Default',
      },
      region_name: 'RegionOne',
    };
  }
  return {
    auth_type: kind,
    auth: { endpoint: `${compute}/compute/v2.1`, ...(kind === 'none' ? {} : USER) },
    image_endpoint_override: `${compute}/image/v2`,
    network_endpoint_override: `${compute}/network`,
    baremetal_endpoint_override: bareMetal,
  };
}

/** Creates `n1` and so on, each with a port. */
async function addNode(url: string, kind: CloudKind, number: number): Promise<void> {
  const basic = Buffer.from(`${USER.username}:${USER.password}`).toString('base64');
  async function call(method: string, path: string, body?: object) {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-openstack-ironic-api-version': '1.82',
        ...(kind === 'none' ? {} : { authorization: `Basic ${basic}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }
  const name = `n${number}`;
  const deadline = Date.now() + READY_MS;
  async function reach(target: string, state: string): Promise<void> {
    await call('PUT', `nodes/${name}/states/provision`, { target });
    while ((await call('GET', `nodes/${name}`)).provision_state !== state) {
      if (Date.now() > deadline) throw new Error(`node ${name} does not become ${state}`);
      await sleep(20);
    }
  }
  const properties = { cpus: 8, memory_mb: 16_384, local_gb: 100, cpu_arch: 'x86_64' };
  const { uuid } = await call('POST', 'nodes', {
    ...{ driver: 'fake-hardware', name, resource_class: 'gold', properties },
  });
  const address = `52:54:00:00:00:${String(number).padStart(2, '0')}`;
  await call('POST', 'ports', { node_uuid: uuid, address, physical_network: 'physnet1' });
  // As in Nova, a machine whose power state is unknown is not used.
  await call('PUT', `nodes/${name}/states/power`, { target: 'power off' });
  await reach('manage', 'manageable');
  await reach('provide', 'available');
}
