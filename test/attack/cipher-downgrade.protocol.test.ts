/** Somebody between conductor and BMC keeps the strong cipher suite away, so that the weak one is used. */
import { expect, it } from 'vitest';
import { type FakeBmc, startFakeBmc } from '../fakes/bmc/fake-bmc.ts';
import { BMC_USER } from '../fakes/bmc/test-ipmi.ts';
import { patch, power } from '../fakes/operator.ts';
import { startAttackedConductor } from './attacked-conductor.ts';

it('a BMC that has used suite 17 gets no command with suite 3 unless an operator says so', async () => {
  await using conductor = await startAttackedConductor();
  const { operator, api } = conductor;
  let bmc: FakeBmc = await startFakeBmc({ ...BMC_USER, cipherSuites: [17, 3] });
  const { port } = bmc;
  const { username: ipmi_username, password: ipmi_password } = BMC_USER;
  const driver_info = { ipmi_address: '127.0.0.1', ipmi_port: port, ipmi_username, ipmi_password };
  const made = await operator.make({ driver: 'ipmi', fields: { driver_info }, verbs: ['manage'] });
  await bmc.stop();
  bmc = await startFakeBmc({ ...BMC_USER, port, cipherSuites: [3] });
  try {
    const node = async () => (await api('GET', `/v1/nodes/${made.node}`)).body;
    const refused = async () => {
      await operator.ask(made, power('power on'));
      const isOver = async () => bmc.machine.powerOn || (await node()).last_error !== null;
      await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
      expect(bmc.machine.powerOn, 'the command was sent with suite 3').toBe(false);
      expect((await node()).last_error).toContain('ipmi_cipher_suite');
      expect((await node()).last_error).toContain('used a stronger suite before');
    };
    await refused();
    const { history } = (await api('GET', `/v1/nodes/${made.node}/history?detail=true`)).body;
    expect(JSON.stringify(history)).toContain('used a stronger suite before');

    // It is known after a restart, too.
    await conductor.stop();
    await conductor.start();
    await operator.ask(made, patch('/driver_info/ipmi_priv_level', 'OPERATOR'));
    await refused();

    await operator.ask(made, patch('/driver_info/ipmi_cipher_suite', '3'), power('power on'));
    await expect.poll(async () => (await node()).power_state, { timeout: 30_000 }).toBe('power on');
    expect(bmc.machine.powerOn).toBe(true);
  } finally {
    await bmc.stop();
  }
}, 120_000);
