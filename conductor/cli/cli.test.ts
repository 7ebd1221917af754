import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestApi } from '../../test/fakes/api.ts';
import { createCall } from '../../test/fakes/api-client.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/ingot.js');
const scratch = mkdtempSync(join(tmpdir(), 'ingot-cli-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const ingot = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });

describe('ingot', () => {
  it('prints its version', () => {
    const { stdout, status } = ingot(['version']);
    expect(stdout).toMatch(/^ingot \d+\.\d+\.\d+ \(Ironic API 1\.\d+, Node \d/);
    expect(status).toBe(0);
  });

  it('prints the OpenAPI document', () => {
    const { stdout, status } = ingot(['openapi']);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.1', paths: { '/v1/nodes': { get: {} } } });
    expect(status).toBe(0);
    const compute = ingot(['openapi', '--compute']).stdout;
    expect(JSON.parse(compute)).toMatchObject({ paths: { '/compute/v2.1/servers': { post: {} } } });
  });

  it('prints the configuration with its origins', () => {
    const file = join(scratch, 'ingot.yaml');
    writeFileSync(file, 'dhcp:\n  mode: proxy\n');
    const { stdout, status } = ingot(['serve', '--config', file, '--print-config', '--data', '/d'], {
      INGOT_LOG_LEVEL: 'warn',
    });
    expect(stdout).toMatch(/^data_dir +\/d +--data$/m);
    expect(stdout).toMatch(/^log_level +warn +INGOT_LOG_LEVEL$/m);
    expect(stdout).toMatch(new RegExp(`^dhcp.mode +proxy +file ${file}$`, 'm'));
    expect(status).toBe(0);
  });

  it('exits with 2 and a reason when the configuration is wrong', () => {
    const { stderr, status } = ingot(['serve', '--listen', '0.0.0.0:6385']);
    expect(stderr).toContain('can be reached from outside');
    expect(status).toBe(2);
    expect(ingot(['serve', '--config', join(scratch, 'missing.yaml')]).status).toBe(2);
  });

  it('exits with 1 when a part can not start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const args = ['serve', '--data', join(scratch, 'd'), '--listen', '127.0.0.1:0'];
    const { stderr, status } = ingot([...args, '--compute-listen', `127.0.0.1:${port}`]);
    taken.close();
    expect(stderr).toContain('address already in use');
    expect(status).toBe(1);
  });

  it('exits with 1 for an unknown command', () => {
    expect(ingot(['serv']).status).toBe(1);
  });

  it('reports when a node can not be watched', () => {
    const { stderr, status } = ingot(['watch', 'n1', '--endpoint', 'http://127.0.0.1:1']);
    expect(stderr).toContain('http://127.0.0.1:1 can not be reached');
    expect(status).toBe(3);
  });

  it('watches a node until it is in a stable state', async () => {
    const { api, close } = await createTestApi();
    const endpoint = await api.listen({ host: '127.0.0.1', port: 0 });
    const call = createCall(api);
    await call('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'n1' });
    await call('PUT', '/v1/nodes/n1/states/provision', { target: 'manage' });
    const { stdout } = await promisify(execFile)(process.execPath, [
      PROGRAM,
      'watch',
      'n1',
      '--endpoint',
      endpoint,
    ]);
    expect(stdout).toMatch(/verify started\n.*power\.verify\n.*power\.verify done/s);
    expect(stdout).toMatch(/node n1 is in state manageable, .*\n$/);
    await expect(
      promisify(execFile)(process.execPath, [PROGRAM, 'watch', 'n2', '--endpoint', endpoint]),
    ).rejects.toMatchObject({
      code: 3,
      stderr: 'ingot: Node n2 could not be found.\n',
    });
    await close();
  });
});
