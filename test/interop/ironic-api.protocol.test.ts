/**
 * Our agent's client for conductors without a pin, with the API of the real Ironic.
 */
import { createConductorClient } from '@ingot/agent/conductor-client.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpCaller, type HttpCall, operatorCall } from '../attack/http-caller.ts';
import { startOracle } from '../conformance/oracle.ts';
import type { ServerProcess } from '../conformance/server-process.ts';
import { addPort, createOperator, type Made, provision } from '../fakes/operator.ts';

const MAC = '52:54:00:00:03:01';
/** Nothing listens there. */
const CALLBACK = 'http://127.0.0.1:1';
const VERSION = { 'x-openstack-ironic-api-version': '1.78' };

let ironic: ServerProcess;
let api: HttpCall;
let made: Made;
beforeAll(async () => {
  ironic = await startOracle();
  const call = createHttpCaller(ironic.baseUrl);
  api = (method, path, options = {}) => call(method, path, { ...options, headers: VERSION });
  const operator = createOperator(operatorCall(api));
  const ramdisk = { deploy_kernel: 'http://127.0.0.1:1/k', deploy_ramdisk: 'http://127.0.0.1:1/r' };
  made = await operator.make({ fields: { deploy_interface: 'direct', driver_info: ramdisk } });
  await operator.ask(made, addPort({ address: MAC }));
  await operator.ask(made, provision({ target: 'manage' }));
  await operator.reach(made, 'manageable');
  await operator.ask(made, provision({ target: 'provide' }));
  await operator.reach(made, 'clean wait');
});
afterAll(() => ironic?.stop());

const signal = () => AbortSignal.timeout(30_000);

it('looks its node up, gets a token and is heard', async () => {
  const client = createConductorClient({ api: [`${ironic.baseUrl}/`], inspection: null });
  const { node, token, heartbeatTimeoutSeconds } = await client.lookup([MAC], null, signal());
  expect(node.uuid).toBe(made.node);
  expect(token).toMatch(/^[\w-]{32,}$/);
  expect(heartbeatTimeoutSeconds).toBe(300);

  const beat = { callbackUrl: CALLBACK, version: '1', verifyCa: null, status: null, statusMessage: null };
  await expect(client.heartbeat(made.node, { ...beat, token: 'wrong' }, signal())).rejects.toThrow(/token/i);
  await client.heartbeat(made.node, { ...beat, token }, signal());
  // Ironic works on a heartbeat after it has answered.
  await expect
    .poll(async () => (await api('GET', `/v1/nodes/${made.node}`)).body.driver_internal_info.agent_url)
    .toBe(CALLBACK);

  const again = await client.lookup([MAC], null, signal());
  expect(again.token).toBe('******');
});
