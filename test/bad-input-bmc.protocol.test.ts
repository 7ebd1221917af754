/**
 * A BMC that is not our fake (OpenIPMI's ipmi_sim) and bad input: a wrong password, then a BMC that no longer runs.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IpmiSim, SIM_USER, startIpmiSim } from './fakes/bmc/ipmi-sim.ts';
import { createOperator, type Operator, patch, power, provision } from './fakes/operator.ts';
import { startTestConductor, type TestConductor } from './fakes/test-conductor.ts';

let sim: IpmiSim;
let test: TestConductor;
let operator: Operator;
beforeAll(async () => {
  sim = await startIpmiSim({ machine: false });
  test = await startTestConductor({ bmcTimeoutMs: 5_000 });
  operator = createOperator(test.call);
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
  await sim.stop();
});

it('manage fails with a wrong password and works with the right one; without a BMC the next power change fails', async () => {
  const login = { ipmi_username: SIM_USER.username, ipmi_password: 'wrong-one' };
  const driver_info = { ipmi_address: '127.0.0.1', ipmi_port: sim.port, ...login };
  const made = await operator.make({ driver: 'ipmi', fields: { driver_info } });
  const state = async () => (await operator.seen(made)).node;

  await operator.ask(made, provision({ target: 'manage' }));
  await operator.reach(made, 'enroll');
  const refused = await state();
  expect(refused).toMatchObject({ power_state: null, target_provision_state: null });
  for (const words of ['power.verify_power', 'wrong password', 'check driver_info.ipmi_password'])
    expect(refused.last_error).toContain(words);
  expect(refused.last_error).not.toContain('wrong-one');

  await operator.ask(
    made,
    patch('/driver_info/ipmi_password', SIM_USER.password),
    provision({ target: 'manage' }),
  );
  await operator.reach(made, 'manageable');
  expect(await state()).toMatchObject({ power_state: 'power off', last_error: null });

  await sim.kill();
  await operator.ask(made, power('power on'));
  await expect
    .poll(async () => (await state()).last_error, { timeout: 20_000 })
    .toMatch(/driver_info\.ipmi_address/);
  expect(await state()).toMatchObject({ provision_state: 'manageable', target_power_state: null });
});
