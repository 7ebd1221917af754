/**
 * A tenant writes kernel arguments into instance_info that would make the ramdisk trust another conductor or start
 * another program.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';

const REFUSED = [
  'ipa-api-url=http://10.83.0.66:8089',
  'nofb ipa_api_url=http://10.83.0.66:8089',
  'IPA-insecure=1',
  'ingot.shell=1',
  'init=/bin/sh',
  'rdinit=/bin/sh',
  'BOOTIF=01-52-54-00-a7-00-99',
  '-- init=/bin/sh',
  'nofb\nipa-api-url=http://10.83.0.66:8089',
  'nofb\tinit=/bin/sh',
  'nofb\u0000',
  '"ipa-api-url=http://10.83.0.66:8089"',
  'a="b init=/bin/sh"',
  'a\u00a0init=/bin/sh',
];

let conductor: AttackedConductor;
beforeAll(async () => {
  conductor = await startAttackedConductor();
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

it.each(REFUSED)('%j is refused when it is written', async (text) => {
  const { node } = await conductor.fakeNode();
  const path = `/v1/nodes/${node}`;
  const patches = [
    [{ op: 'add', path: '/instance_info/kernel_append_params', value: text }],
    [{ op: 'add', path: '/instance_info', value: { kernel_append_params: text } }],
  ];
  for (const body of patches) {
    const answer = await conductor.api('PATCH', path, { body });
    expect([answer.status, answer.error]).toEqual([
      400,
      expect.stringContaining('instance_info.kernel_append_params'),
    ]);
  }
  const created = await conductor.api('POST', '/v1/nodes', {
    body: { driver: 'fake-hardware', instance_info: { kernel_append_params: text } },
  });
  expect(created.status).toBe(400);
  expect((await conductor.api('GET', path)).body.instance_info).toEqual({});
});

it('an allowed argument is kept', async () => {
  const { node } = await conductor.fakeNode();
  const value = 'console=ttyS1 %default%';
  const body = [{ op: 'add', path: '/instance_info/kernel_append_params', value }];
  expect((await conductor.api('PATCH', `/v1/nodes/${node}`, { body })).status).toBe(200);
  const kept = (await conductor.api('GET', `/v1/nodes/${node}`)).body;
  expect(kept.instance_info).toEqual({ kernel_append_params: value });
});
