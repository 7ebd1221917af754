/**
 * Creates one node and its port over the API, and copies their rows until there are a thousand.
 */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { readKeyFile } from '@ingot/conductor/store/key-file.ts';
import { createSecretCipher } from '@ingot/conductor/store/secret-cipher.ts';
import { secretPlace } from '@ingot/conductor/store/sqlite/database.ts';
import { atOnce, insertCopy, type Subject } from './subject.ts';

export interface Fleet {
  readonly uuids: readonly string[];
  /** MAC address of each node's port, in the same order. */
  readonly macs: readonly string[];
}

const HEADERS = { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.82' };

/** A node as an operator enrolls it, with a password, which is a secret. `direct` accepts heartbeats. */
export const newNode = (deploy: 'direct' | 'fake') => ({
  driver: 'fake-hardware',
  deploy_interface: deploy,
  resource_class: 'baremetal',
  driver_info: {
    ipmi_address: '10.9.8.7',
    ipmi_username: 'admin',
    ipmi_password: 'not so secret',
    deploy_kernel: 'http://10.83.0.1/kernel',
    deploy_ramdisk: 'http://10.83.0.1/ramdisk',
  },
  properties: { cpus: '64', memory_mb: '262144', local_gb: '900', cpu_arch: 'x86_64' },
  extra: { rack: '7', slot: 1 },
});

async function post(subject: Subject, path: string, body: object): Promise<void> {
  const answer = await fetch(`${subject.baseUrl}${path}`, {
    ...{ method: 'POST', headers: HEADERS, body: JSON.stringify(body) },
  });
  if (!answer.ok) throw new Error(`${subject.name} answers POST ${path} with ${await answer.text()}`);
}

const macOf = (index: number): string =>
  `52:54:00:${index
    .toString(16)
    .padStart(6, '0')
    .replaceAll(/(..)(?=.)/g, '$1:')}`;

/** Makes the first node of an empty server. */
export async function enrolFirst(subject: Subject): Promise<Fleet> {
  const uuid = randomUUID();
  await post(subject, '/v1/nodes', { uuid, name: 'node-0', ...newNode('direct') });
  await post(subject, '/v1/ports', { node_uuid: uuid, address: macOf(0) });
  return { uuids: [uuid], macs: [macOf(0)] };
}

/**
 * The fields in which nodes of a rack differ: the address of the BMC and the slot. Both servers store them as JSON.
 */
function ownFields(first: Readonly<Record<string, unknown>>, index: number) {
  const address = `10.9.${index >> 8}.${index & 255}`;
  return {
    driver_info: String(first['driver_info']).replace('10.9.8.7', address),
    extra: String(first['extra']).replace(/("slot": ?)1/, `$1${index}`),
  };
}

/** A copy of a node's secret for another node: it is encrypted for its place. */
function secretCopier({ database }: Subject, from: string) {
  const cipher = createSecretCipher(readKeyFile(join(dirname(database), 'secrets.key')) ?? []);
  return ({ pointer, value }: Readonly<Record<string, unknown>>, to: string) => {
    const stored = JSON.parse(String(value)) as string;
    const text = cipher.decrypt(secretPlace('node', from, String(pointer)), stored);
    const copy = cipher.encrypt(secretPlace('node', to, String(pointer)), text);
    return { node_uuid: to, value: JSON.stringify(copy) };
  };
}

/** Copies the first node until there are `size`. */
export function grow(subject: Subject, fleet: Fleet, size: number): Fleet {
  const { db, name } = subject;
  const [first] = fleet.uuids as [string];
  const node = db.prepare('select * from nodes where uuid = ?').get(first)!;
  const port = db.prepare('select * from ports limit 1').get()!;
  const secrets = name === 'ours' ? db.prepare('select * from secrets where node_uuid = ?').all(first) : [];
  const copyFor = secrets.length === 0 ? undefined : secretCopier(subject, first);
  const uuids = [...fleet.uuids];
  const macs = [...fleet.macs];
  atOnce(db, () => {
    for (let index = uuids.length; index < size; index += 1) {
      const uuid = randomUUID();
      const address = macOf(index);
      const own = { uuid, name: `node-${index}`, ...ownFields(node, index) };
      const id = insertCopy(db, 'nodes', node, own);
      const owner = name === 'ours' ? { node_uuid: uuid } : { node_id: id };
      insertCopy(db, 'ports', port, { uuid: randomUUID(), address, ...owner });
      for (const secret of secrets) insertCopy(db, 'secrets', secret, copyFor!(secret, uuid));
      uuids.push(uuid);
      macs.push(address);
    }
  });
  return { uuids, macs };
}

/** Puts every node into this state, powered off, with no operation. */
export function rest({ db }: Subject, provisionState: string): void {
  db.prepare(
    `update nodes set provision_state = ?, target_provision_state = null,
       power_state = 'power off', target_power_state = null, last_error = null`,
  ).run(provisionState);
}

/** Removes agents and tokens from all nodes, as a power-off does. */
export function forgetAgents({ db, name }: Subject): void {
  if (name === 'ironic') db.exec(`update nodes set driver_internal_info = '{}'`);
  else {
    atOnce(db, () => {
      db.exec('update nodes set agent_present = 0, agent_token = null, agent_url = null');
      db.exec(`delete from secrets where pointer = '/agentToken'`);
    });
  }
}
