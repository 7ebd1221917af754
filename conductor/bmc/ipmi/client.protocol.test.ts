/** The client against OpenIPMI's ipmi_sim. ipmitool checks the results. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IpmiSim, SIM_USER, startIpmiSim } from '../../../test/fakes/bmc/ipmi-sim.ts';
import { ipmitool } from '../../../test/fakes/bmc/ipmitool.ts';
import { ipmiAddress, recordedLog } from '../../../test/fakes/bmc/test-ipmi.ts';
import { createIpmiClients, type IpmiClients } from './clients.ts';
import { Secret } from './secret.ts';

describe('IPMI client and ipmi_sim', () => {
  let sim: IpmiSim;
  let clients: IpmiClients;
  const log = recordedLog();
  const address = () => ipmiAddress(sim.port, SIM_USER);
  const witness = (...args: string[]) => ipmitool({ ...SIM_USER, port: sim.port, cipherSuite: 3 }, args);

  beforeAll(async () => {
    sim = await startIpmiSim();
    clients = createIpmiClients({ logger: log });
  });
  afterAll(async () => {
    await clients.closeAll();
    await sim.stop();
  });

  it('switches the power on and off', async () => {
    const client = clients.for(address());
    expect(await client.getPowerState()).toBe('power off');
    await client.setPower('on');
    expect((await witness('chassis', 'power', 'status')).stdout).toBe('Chassis Power is on\n');
    expect(await client.getPowerState()).toBe('power on');
    await client.setPower('off');
    expect(await sim.chassis('power')).toBe('0');
    expect((await witness('chassis', 'power', 'status')).stdout).toBe('Chassis Power is off\n');
  });

  it('uses suite 3, because this BMC refuses 17', async () => {
    expect(log.lines.some((line) => line.includes('"cipherSuite":3'))).toBe(true);
    const only17 = clients.for({ ...address(), cipherSuites: [17] });
    await expect(only17.getPowerState()).rejects.toThrow('suite 17: Open Session status 0x04');
  });

  it.each([
    ['pxe', 'Force PXE', 'pxe'],
    ['disk', 'Force Boot from default Hard-Drive', 'default'],
  ] as const)('sets boot device %s', async (device, words, kept) => {
    const client = clients.for(address());
    await client.setBootDevice({ device, persistent: false, uefi: true });
    expect(await sim.chassis('boot')).toBe(kept);
    expect((await witness('chassis', 'bootparam', 'get', '5')).stdout).toContain(words);
    expect((await client.getBootDevice()).device).toBe(device);
  });

  it('reads a boot device that ipmitool has set', async () => {
    await witness('chassis', 'bootdev', 'cdrom');
    expect((await clients.for(address()).getBootDevice()).device).toBe('cdrom');
  });

  it('reads the device id and the address of the BMC', async () => {
    const client = clients.for(address());
    expect(await client.getDeviceId()).toMatchObject({ manufacturerId: 4753, firmwareVersion: '9.08' });
    expect(await client.getBmcAddress()).toEqual({
      ipv4: '127.0.0.1',
      source: 'static',
      mac: '52:54:00:aa:00:01',
    });
  });

  it('tells a wrong password from an unknown user', async () => {
    const wrong = clients.for({ ...address(), password: Secret.ofText('wrong') });
    await expect(wrong.getPowerState()).rejects.toThrow(/wrong password.*ipmi_password/);
    const unknown = clients.for({ ...address(), username: 'root' });
    await expect(unknown.getPowerState()).rejects.toThrow(/unknown user.*0x0d: unauthorized name/);
    const kg = clients.for({ ...address(), kg: Secret.ofText('12345678901234567890') });
    await expect(kg.getPowerState()).rejects.toThrow('this BMC has no K_g set');
  });

  it('leaves no session open', async () => {
    await clients.for(address()).getPowerState();
    await clients.closeAll();
    clients = createIpmiClients({ logger: log });
    // ipmitool's own session is the only one.
    expect((await witness('session', 'info', 'all')).stdout).toMatch(/active sessions +: 1\n/);
  });

  it('works again after the BMC was killed during a session', async () => {
    const client = clients.for(address());
    await client.getPowerState();
    await sim.kill();
    const began = Date.now();
    const deadline = new Date(began + 3_000);
    await expect(client.getPowerState({ deadline })).rejects.toThrow(
      /^BMC 127\.0\.0\.1:\d+: Get Chassis Status failed, port closed .* after \d+ tries/,
    );
    expect(Date.now() - began).toBeLessThan(3_500);
  });
});
