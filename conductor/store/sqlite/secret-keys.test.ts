/** The keys of a database: encrypting an older one, missing and wrong key files, and changing the key. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { ALL_ROWS } from '../../domain/store/page.ts';
import { newNode, SESSION } from '../conformance/samples.ts';
import { createKeyFile, newKey, readKeyFile, replaceKeyFile } from '../key-file.ts';
import { createDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { rotateSecretKeys } from './rotate-keys.ts';
import { openSqlite } from './sqlite.ts';
import { openStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-secret-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));
/** Older versions did not store the secrets of URLs apart. */
const OLD_URL = 'http://ada:PLANTED-url@h/k?sig=PLANTED-url';
const NODE_INFO = { ipmi_password: 'PLANTED-bmc', deploy_kernel: OLD_URL };
const NOW = new Date('2026-01-01');
let count = 0;
const newFiles = () => {
  count += 1;
  return { path: join(directory, `${count}.db`), keyFile: join(directory, `${count}.key`) };
};
type Files = ReturnType<typeof newFiles>;

const bytesOf = ({ path }: Files): string =>
  ['', '-wal'].map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : '')).join();

/** A database as the version before left it: secrets in plain text. */
async function plainDatabase(files: Files): Promise<void> {
  const old = createDatabase(openSqlite(files.path));
  await migrate(old, files.path, '0012-proven-agents');
  await old.close();
  const file = new SqliteFile(files.path);
  file.exec(`insert into nodes (uuid, driver, provision_state, interfaces, created_at, driver_info)
    values ('n1', 'ipmi', 'enroll', '{}', 1, '{"ipmi_password":"******","deploy_kernel":"${OLD_URL}"}');
    insert into secrets (node_uuid, pointer, value) values ('n1', '/driverInfo/ipmi_password', '"PLANTED-bmc"');
    insert into volume_targets (uuid, node_uuid, volume_type, volume_id, boot_index, properties, created_at)
    values ('v1', 'n1', 'iscsi', 'x', 0, '{"auth_password":"PLANTED-chap"}', 1);
    insert into servers (uuid, created_at, project_id, user_id, name, hostname, vm_state, power_state,
      reservation_id, launch_index, min_count, admin_pass, user_data)
    values ('s1', 1, 'p', 'u', 'web', 'web', 'active', 1, 'r-1', 0, 1, 'PLANTED-admin', 'PLANTED-user-data')`);
  for (let row = 0; row < 120; row += 1) {
    file
      .prepare(`insert into inspection_rules (uuid, created_at, priority, phase, conditions, actions)
        values (?, 1, 0, 'main', '[]', '[{"op":"set","value":"PLANTED-rule"}]')`)
      .run(`rule-${row}`);
  }
  file.close();
}

async function check(files: Files): Promise<void> {
  const store = await openStore(files);
  try {
    expect((await store.nodes.get('n1')).driverInfo).toEqual(NODE_INFO);
    const [shown] = await store.nodes.listShown({}, ALL_ROWS, ['driverInfo']);
    expect(shown?.driverInfo).toMatchObject({ deploy_kernel: 'http://******@h/k?******' });
    expect((await store.volumeTargets.get('v1')).properties).toEqual({ auth_password: 'PLANTED-chap' });
    expect(await store.compute.servers.get('s1')).toMatchObject({
      adminPass: 'PLANTED-admin',
      userData: 'PLANTED-user-data',
    });
    expect((await store.inspectionRules.get('rule-119')).actions).toEqual([
      { op: 'set', value: 'PLANTED-rule' },
    ]);
  } finally {
    await store.close();
  }
}

it('the secrets of an older version are encrypted at the first start, and no byte of them is left', async () => {
  const files = newFiles();
  await plainDatabase(files);
  expect(bytesOf(files)).toContain('PLANTED');
  await check(files);
  expect(bytesOf(files)).not.toContain('PLANTED');
  await check(files);
  expect(readKeyFile(files.keyFile)).toHaveLength(1);
});

it('a crash after the encryption and before the scrub is made up for at the next start', async () => {
  const files = newFiles();
  await plainDatabase(files);
  await check(files);
  const file = new SqliteFile(files.path);
  file.exec('update secret_keys set is_scrubbed = 0');
  file.pragma('secure_delete = OFF');
  file.exec(`create table left_over (text); insert into left_over values ('PLANTED-left');
    drop table left_over`);
  file.close();
  expect(bytesOf(files)).toContain('PLANTED-left');
  await check(files);
  expect(bytesOf(files)).not.toContain('PLANTED');
});

it('a new database gets a key file, also for secrets that were not there at its start', async () => {
  const files = newFiles();
  const store = await openStore(files);
  await store.nodes.create(newNode({ uuid: 'n1', agent: { ...SESSION, token: 'PLANTED-token' } }), NOW);
  expect(bytesOf(files)).not.toContain('PLANTED');
  await store.close();
  const again = await openStore(files);
  expect((await again.nodes.get('n1')).agent?.token).toBe('PLANTED-token');
  await again.close();
});

it('without its key file a database is not opened, and the error says what is lost', async () => {
  const files = newFiles();
  await (await openStore(files)).close();
  const [key] = readKeyFile(files.keyFile) ?? [];
  rmSync(files.keyFile);
  await expect(openStore(files)).rejects.toThrow(
    `The secrets in ${files.path} are encrypted with the key ${key?.id}, but it is not in the key file ${files.keyFile} (secrets.key_file), which is missing. Restore the key file`,
  );
  expect(existsSync(files.keyFile)).toBe(false);
  createKeyFile(files.keyFile);
  await expect(openStore(files)).rejects.toThrow('which has other keys');
  replaceKeyFile(files.keyFile, [{ ...newKey(), id: key!.id }]);
  await expect(openStore(files)).rejects.toThrow('which has another key of this name');
  replaceKeyFile(files.keyFile, [key!]);
  await (await openStore(files)).close();
});

it('a rotation encrypts everything with a new key and removes the old one', async () => {
  const files = newFiles();
  await plainDatabase(files);
  await check(files);
  const [old] = readKeyFile(files.keyFile) ?? [];
  expect(bytesOf(files)).toContain(`enc1:${old?.id}`);
  const done = await rotateSecretKeys(files);
  expect(done).toEqual({ keyId: expect.any(String), removed: [old?.id], encrypted: 125, isResumed: false });
  expect(readKeyFile(files.keyFile)?.map(({ id }) => id)).toEqual([done.keyId]);
  expect(bytesOf(files)).not.toContain(`enc1:${old?.id}`);
  await check(files);
});

it('a rotation that was interrupted leaves a database that can be used, and is finished by the next', async () => {
  const files = newFiles();
  await plainDatabase(files);
  await check(files);
  const [old] = readKeyFile(files.keyFile) ?? [];
  const before = { path: join(directory, 'before.db'), keyFile: join(directory, 'before.key') };
  copyFileSync(files.path, before.path);
  // As if it was killed after the first write: both keys are in the file, and the database has the old one.
  const both = [newKey(), old!];
  replaceKeyFile(files.keyFile, both);
  await check(files);
  // New secrets have the new key, the others the old one.
  const store = await openStore(files);
  await store.nodes.update('n1', { driverInfo: NODE_INFO }, NOW);
  await store.close();
  const done = await rotateSecretKeys(files);
  expect(done).toEqual({ keyId: both[0]?.id, removed: [old?.id], encrypted: 123, isResumed: true });
  await check(files);
  // As if it was killed before its last write: every secret has the new key, and the file has both.
  replaceKeyFile(files.keyFile, [readKeyFile(files.keyFile)![0]!, old!]);
  await check(files);
  expect(await rotateSecretKeys(files)).toMatchObject({ encrypted: 0, isResumed: true });
  await check(files);
  // An older copy of the database needs the older key.
  replaceKeyFile(before.keyFile, both.slice(0, 1));
  await expect(openStore(before)).rejects.toThrow(`encrypted with the key ${old?.id}`);
  replaceKeyFile(before.keyFile, [old!]);
  await check(before);
});

it('a secret that was put into the row of another node is not its secret, and other nodes can be read', async () => {
  const files = newFiles();
  const store = await openStore(files);
  const password = { ipmi_password: 'PLANTED-bmc' };
  for (const uuid of ['n1', 'n2']) await store.nodes.create(newNode({ uuid, driverInfo: password }), NOW);
  await store.close();
  const file = new SqliteFile(files.path);
  file.exec(
    `update secrets set value = (select value from secrets where node_uuid = 'n1') where node_uuid = 'n2'`,
  );
  file.close();
  const errors: string[] = [];
  const logger = { info: () => undefined, error: (_: object, text: string) => errors.push(text) };
  const again = await openStore({ ...files, logger });
  expect((await again.nodes.get('n2')).driverInfo['ipmi_password']).toMatch(/^unreadable [0-9a-f-]{36}$/);
  expect((await again.nodes.get('n1')).driverInfo).toEqual(password);
  expect(errors).toEqual([
    'The secret secrets:node:n2:/driverInfo/ipmi_password in the database cannot be decrypted: it was changed, or belongs to another row.',
  ]);
  await again.close();
});

it('a rotation needs a database', async () => {
  await expect(rotateSecretKeys(newFiles())).rejects.toThrow('There is no database');
});
