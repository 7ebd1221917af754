/** A machine sends a text for which an inspection rule's pattern would take years, were it matched by backtracking. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';

const PATTERN = '(a+)+';
const TEXT = `${'a'.repeat(40)}!`;

it('a slow regular expression of an inspection rule takes no time from others', async () => {
  await using conductor = await startAttackedConductor({ loopback: true, plaintextAgents: true });
  const rule = await conductor.api('POST', '/v1/inspection_rules', {
    body: {
      conditions: [
        { op: 'matches', args: { value: '{inventory[system_vendor][product_name]}', regex: PATTERN } },
      ],
      actions: [{ op: 'set-attribute', args: { path: '/extra/odd', value: true } }],
    },
  });
  expect(rule.status).toBe(201);
  const { node, mac } = await conductor.nodeAwaitingAgent('inspect');
  await conductor.provisioning('GET', `/v1/lookup?addresses=${mac}`);
  const sent = await conductor.provisioning('POST', '/v1/continue_inspection', {
    body: {
      inventory: {
        cpu: { architecture: 'x86_64', count: 1 },
        memory: { physical_mb: 1024 },
        disks: [],
        interfaces: [{ name: 'eth0', mac_address: mac }],
        system_vendor: { product_name: TEXT },
        boot: { current_boot_mode: 'bios', pxe_interface: mac },
      },
    },
  });
  expect(sent.status).toBe(202);
  const deadline = Date.now() + 5_000;
  for (let state = 'inspect wait'; state.startsWith('inspect'); ) {
    const asked = performance.now();
    const late = new Promise<null>((resolve) => setTimeout(resolve, 5_000, null).unref());
    const answer = await Promise.race([conductor.api('GET', `/v1/nodes/${node}`), late]);
    expect(answer, 'no answer within 5 s').not.toBeNull();
    expect(performance.now() - asked).toBeLessThan(1_500);
    state = Date.now() > deadline ? 'late' : answer?.body.provision_state;
  }
  const { body } = await conductor.api('GET', `/v1/nodes/${node}`);
  expect(body).toMatchObject({ last_error: null, extra: {} });
}, 60_000);

it('refuses patterns that can not be matched in linear time', async () => {
  await using conductor = await startAttackedConductor();
  for (const regex of ['(a)\\1', 'a(?=b)', '((a{200}){200}){200}']) {
    const { status, error } = await conductor.api('POST', '/v1/inspection_rules', {
      body: {
        conditions: [{ op: 'contains', args: { value: 'x', regex } }],
        actions: [{ op: 'fail', args: { msg: 'x' } }],
      },
    });
    expect([regex, status]).toEqual([regex, 400]);
    expect(error).toContain('"regex"');
  }
}, 60_000);
