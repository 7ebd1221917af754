/**
 * The API and the façade over TLS, with the unmodified clients, `ingot watch`, and certificates that are replaced while
 * the conductor runs.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attack/attacked-conductor.ts';

const run = promisify(execFile);
const INGOT = resolve(fileURLToPath(import.meta.url), '../../bin/ingot.js');

let dir: string;
let conductor: AttackedConductor;
const file = (name: string) => join(dir, name);
const basic = { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` };

/** A self-signed certificate for 127.0.0.1, which clients trust as a CA. */
async function makeCertificate(name: string): Promise<void> {
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
  ]);
}

/** Common name of the certificate at this URL; the protocol version is between the given ones. */
async function nameAt(url: string, versions: object = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...versions });
  return new Promise((done, failed) => {
    socket.once('secureConnect', () => {
      done(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once('error', failed);
  });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-listener-tls-'));
  for (const name of ['first', 'second']) await makeCertificate(name);
  for (const kind of ['key', 'pem']) await copyFile(file(`first.${kind}`), file(`used.${kind}`));
  await writeFile(file('users'), `ada:${hashSync('lovelace', 4)}\n`);
  conductor = await startAttackedConductor({
    compute: true,
    settings: {
      api: {
        auth: 'http_basic',
        htpasswd_file: file('users'),
        tls: { cert: file('used.pem'), key: file('used.key') },
      },
    },
  });
});
afterAll(async () => {
  await conductor?.[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

describe('clients', () => {
  const python = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
    const base = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', OS_USERNAME: 'ada', OS_PASSWORD: 'lovelace' };
    const { stdout } = await run('/usr/bin/python3', args, { env: { ...base, ...env } });
    return stdout;
  };
  const ironic = () => ({ OS_AUTH_TYPE: 'http_basic', OS_ENDPOINT: conductor.apiUrl });

  it('baremetal works with OS_CACERT, and not without', async () => {
    const trusted = { ...ironic(), OS_CACERT: file('first.pem') };
    const make = ['/usr/bin/baremetal', 'node', 'create', '--driver', 'fake-hardware', '--name', 'secured'];
    expect(await python(trusted, ...make)).toContain('secured');
    const list = ['/usr/bin/baremetal', 'node', 'list', '-f', 'json'];
    expect(JSON.parse(await python(trusted, ...list))).toMatchObject([{ Name: 'secured' }]);
    await expect(python(ironic(), ...list)).rejects.toMatchObject({
      stderr: expect.stringMatching(/certificate/i),
    });
    const [program = '', ...rest] = list;
    const blind = await python(ironic(), program, '--insecure', ...rest);
    expect(JSON.parse(blind)).toHaveLength(1);
  });

  it('openstack finds every service by its https URL in the catalog', async () => {
    const cloud = {
      OS_AUTH_URL: `${conductor.facadeUrl}/identity/v3`,
      OS_IDENTITY_API_VERSION: '3',
      OS_PROJECT_NAME: 'default',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PROJECT_DOMAIN_NAME: 'Default',
      OS_CACERT: file('first.pem'),
    };
    const openstack = (...args: string[]) => python(cloud, '/usr/bin/openstack', ...args, '-f', 'json');
    const catalog = await openstack('catalog', 'list');
    expect(catalog).toContain(`${conductor.apiUrl}`);
    expect(catalog).not.toContain('http://');
    expect(JSON.parse(await openstack('flavor', 'list'))).toEqual([]);
    expect(JSON.parse(await openstack('image', 'list'))).toEqual([]);
    expect(JSON.parse(await openstack('network', 'list'))).toEqual([]);
    expect(JSON.parse(await openstack('baremetal', 'node', 'list'))).toMatchObject([{ Name: 'secured' }]);
  });

  it('ingot watch works with --os-cacert, OS_CACERT and --insecure', async () => {
    const watch = (args: string[], env: Record<string, string> = {}) =>
      run(
        process.execPath,
        [INGOT, 'watch', 'secured', '--endpoint', conductor.apiUrl, '--user', 'ada:lovelace', ...args],
        { env: { PATH: process.env['PATH'] ?? '', ...env } },
      );
    for (const ran of [
      await watch(['--os-cacert', file('first.pem')]),
      await watch([], { OS_CACERT: file('first.pem') }),
      await watch(['--insecure']),
    ])
      expect(ran.stdout).toContain('enroll');
    await expect(watch([])).rejects.toMatchObject({ code: 3, stderr: expect.stringMatching(/certificate/) });
  });

  it('links are https, and older protocols are refused', async () => {
    const { body } = await conductor.api('GET', '/v1/nodes?limit=1', { headers: basic });
    expect(body.nodes[0].links[0].href).toMatch(/^https:/);
    expect(await nameAt(conductor.apiUrl, { maxVersion: 'TLSv1.2' })).toBe('first');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(nameAt(conductor.apiUrl, old)).rejects.toThrow();
  });
});

it('SIGHUP makes it read the files again; files that can not be used change nothing', async () => {
  await writeFile(file('used.pem'), 'half a file');
  conductor.signal('SIGHUP');
  await expect.poll(() => conductor.logged('the certificate and key read before stay')).not.toEqual([]);
  for (const url of [conductor.apiUrl, conductor.facadeUrl!]) expect(await nameAt(url)).toBe('first');
  for (const kind of ['key', 'pem']) await copyFile(file(`second.${kind}`), file(`used.${kind}`));
  conductor.signal('SIGHUP');
  await expect.poll(() => nameAt(conductor.apiUrl)).toBe('second');
  await expect.poll(() => nameAt(conductor.facadeUrl!)).toBe('second');
  expect(conductor.isRunning()).toBe(true);
});

it('does not start with files that can not be used, and says why', async () => {
  await conductor.stop();
  await copyFile(file('first.key'), file('used.key'));
  await expect(conductor.start()).rejects.toThrow(/api\.tls\.key: .*does not belong to the certificate/);
});

it('warns when passwords would cross a network in clear text', async () => {
  await using plain = await startAttackedConductor();
  await plain.stop();
  const port = new URL(plain.apiUrl).port;
  await plain.start({ api: { auth: 'http_basic', htpasswd_file: file('users'), listen: `0.0.0.0:${port}` } });
  expect(await plain.logged('in clear text: set api.tls.cert')).toHaveLength(1);
});
