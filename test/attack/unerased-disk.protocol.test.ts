/** An agent says that a clean succeeded, but has erased one of two disks, or none. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';
import { settled } from './bystander.ts';
import { LOOPBACK_AGENTS, startHostileAgent } from './hostile-agent.ts';

const disk = (name: string, serial: string) => ({ name, serial, wwn: null, size: 4 * 1024 ** 3 });
const step = (name: string) => ({ step: name, priority: 10, interface: 'deploy', abortable: true });
const erased = (...disks: readonly ReturnType<typeof disk>[]) =>
  Object.fromEntries(disks.map(({ name, serial }) => [name, { serial, wwn: null }]));
const [FIRST, SECOND] = [disk('/dev/sda', 'S1'), disk('/dev/sdb', 'S2')];

it.each<[string, string, unknown, string, RegExp | null]>([
  [
    'one of two disks',
    'erase_devices',
    erased(FIRST),
    'clean failed',
    /not report as erased: \/dev\/sdb \(serial S2\)/,
  ],
  ['no disk', 'erase_devices', null, 'clean failed', /\/dev\/sda \(serial S1\), \/dev\/sdb \(serial S2\)/],
  ['no disk with a step of another name', 'polish', erased(FIRST, SECOND), 'clean failed', /\/dev\/sda/],
  ['every disk', 'erase_devices', erased(FIRST, SECOND), 'available', null],
])(
  'a clean in which %s was erased',
  async (_, name, report, state, reason) => {
    await using conductor = await startAttackedConductor({
      loopback: true,
      plaintextAgents: true,
      settings: LOOPBACK_AGENTS,
    });
    await using agent = await startHostileAgent({
      'clean.get_clean_steps': { clean_steps: { Hostile: [step(name)] }, hardware_manager_version: {} },
      [`clean.execute_clean_step ${name}`]: { clean_result: report, clean_step: step(name) },
    });
    const { node, mac } = await conductor.nodeAwaitingAgent('inspect', { fields: { automated_clean: true } });
    const interfaces = [{ name: 'eth0', mac_address: mac }];
    const inventory = { disks: [FIRST, SECOND], interfaces, boot: { pxe_interface: mac } };
    const sent = await conductor.provisioning('POST', '/v1/continue_inspection', { body: { inventory } });
    expect(sent.status).toBe(202);
    await settled(conductor, node, 'manageable');
    await conductor.api('PUT', `/v1/nodes/${node}/states/provision`, { body: { target: 'provide' } });
    await settled(conductor, node, 'clean wait');
    await agent.boot(conductor, node);
    const shown = await settled(conductor, node, 'clean failed', 'available');
    expect(agent.commands).toContain(`clean.execute_clean_step ${name}`);
    expect([shown.provision_state, shown.last_error]).toEqual([
      state,
      reason === null ? null : expect.stringMatching(reason),
    ]);
  },
  60_000,
);
