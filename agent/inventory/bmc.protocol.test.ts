/** The real ipmitool with OpenIPMI's simulator as BMC, over the network instead of the kernel's device. */
import { expect, it, onTestFinished } from 'vitest';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { SIM_USER, startIpmiSim } from '../../test/fakes/bmc/ipmi-sim.ts';
import { run } from '../exec/run.ts';
import { readBmcAddress } from './bmc.ts';

it('is what ipmitool reads from the BMC', async () => {
  const sim = await startIpmiSim({ machine: false });
  onTestFinished(() => sim.stop());
  const { username, password } = SIM_USER;
  const there = [
    '-I',
    'lanplus',
    '-C',
    '3',
    '-H',
    '127.0.0.1',
    '-p',
    String(sim.port),
    '-U',
    username,
    '-P',
    password,
  ];
  const address = await readBmcAddress(
    (program, args, options) => run(program, [...there, ...args], options),
    makeTree({ 'dev/ipmi0': '' }),
  );
  expect(address).toBe('127.0.0.1');
});
