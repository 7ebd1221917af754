/**
 * Real Ironic (Debian's ironic-api and ironic-conductor) as one process on loopback: noauth, sqlite, fake hardware.
 */

import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type ServerProcess, startProcess, stopProcess, untilAnswers } from './server-process.ts';

/** Name of the conductor in both servers. */
export const CONDUCTOR_NAME = 'conformance';

/** Debian's programs need Debian's Python, whatever comes first in PATH. */
const env = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
  LANG: 'C.UTF-8',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONHASHSEED: '0',
};

type Sections = Readonly<Record<string, Readonly<Record<string, string | number>>>>;

/** The hardware types and interfaces that our conductor has, so that both servers answer about the same ones. */
const INTERFACES: Readonly<Record<string, string>> = {
  bios: 'fake,no-bios',
  boot: 'fake,ipxe,pxe',
  console: 'fake,no-console',
  deploy: 'fake,direct',
  inspect: 'fake,no-inspect',
  management: 'fake,ipmitool',
  network: 'noop',
  power: 'fake,ipmitool',
  raid: 'fake,no-raid',
  rescue: 'fake,no-rescue',
  storage: 'noop',
  vendor: 'fake,no-vendor',
};

function settings(dir: string, port: number): Sections {
  return {
    DEFAULT: {
      auth_strategy: 'noauth',
      rpc_transport: 'none',
      host: CONDUCTOR_NAME,
      my_ip: '127.0.0.1',
      state_path: dir,
      use_stderr: 'true',
      enabled_hardware_types: 'fake-hardware,ipmi',
      ...Object.fromEntries(
        Object.entries(INTERFACES).map(([type, names]) => [`enabled_${type}_interfaces`, names]),
      ),
    },
    // Synchronous writes are the slowest part of a request, and the data is not needed after the test.
    database: { connection: `sqlite:///${dir}/ironic.sqlite`, sqlite_synchronous: 'false' },
    oslo_concurrency: { lock_path: join(dir, 'lock') },
    api: { host_ip: '127.0.0.1', port, api_workers: 1 },
    service_catalog: { auth_type: 'none', endpoint_override: `http://127.0.0.1:${port}` },
    conductor: {
      sync_power_state_interval: 0,
      node_locked_retry_attempts: 1,
      node_locked_retry_interval: 1,
    },
    pxe: {
      tftp_root: join(dir, 'tftp'),
      tftp_master_path: join(dir, 'tftp-master'),
      images_path: join(dir, 'images'),
      instance_master_path: join(dir, 'masters'),
    },
    deploy: { http_root: join(dir, 'http'), http_url: 'http://127.0.0.1:1' },
    oslo_messaging_notifications: { driver: 'noop' },
  };
}

const ini = (sections: Sections): string =>
  Object.entries(sections)
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}`);
      return [`[${name}]`, ...lines, ''].join('\n');
    })
    .join('\n');

export async function startOracle(): Promise<ServerProcess> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-oracle-'));
  const logPath = join(dir, 'ironic.log');
  const config = join(dir, 'ironic.conf');
  const port = await freePort();
  for (const name of ['lock', 'http', 'tftp', 'images', 'masters']) await mkdir(join(dir, name));
  await writeFile(config, ini(settings(dir, port)));

  const run = (program: string, ...args: string[]) =>
    startProcess({
      ...{ file: '/usr/bin/python3', args: [program, '--config-file', config, ...args] },
      ...{ env, logPath },
    });
  const schema = run('/usr/bin/ironic-dbsync', 'create_schema');
  const [code] = await once(schema, 'exit');
  if (code !== 0) throw new Error(`ironic-dbsync ended with ${code}; see ${logPath}`);

  const child = run('/usr/bin/ironic');
  const baseUrl = `http://127.0.0.1:${port}`;
  const startMs = await untilAnswers(child, `${baseUrl}/v1`, logPath);
  return {
    ...{ baseUrl, startMs, pid: child.pid as number, database: join(dir, 'ironic.sqlite') },
    async stop() {
      await stopProcess(child);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
