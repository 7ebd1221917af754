/** Checks the fake BMC with the real ipmitool, with both cipher suites. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeBmc, startFakeBmc } from './fake-bmc.ts';
import { ipmitool } from './ipmitool.ts';

const USER = { username: 'admin', password: 'password' } as const;

describe.each([3, 17])('ipmitool and the fake BMC, cipher suite %i', (cipherSuite) => {
  let bmc: FakeBmc;
  const run = (...args: string[]) => ipmitool({ ...USER, port: bmc.port, cipherSuite }, args);

  beforeAll(async () => {
    bmc = await startFakeBmc({ ...USER, cipherSuites: [cipherSuite] });
  });
  afterAll(() => bmc.stop());

  it('switches the power and reads it', async () => {
    expect((await run('chassis', 'power', 'status')).stdout).toBe('Chassis Power is off\n');
    expect((await run('chassis', 'power', 'on')).code).toBe(0);
    expect(bmc.machine.powerOn).toBe(true);
    expect((await run('chassis', 'power', 'status')).stdout).toBe('Chassis Power is on\n');
  });

  it('sets a boot device and reads it', async () => {
    expect((await run('chassis', 'bootdev', 'pxe', 'options=efiboot,persistent')).code).toBe(0);
    expect(bmc.machine.bootFlags).toMatchObject({ valid: true, uefi: true, selector: 1 });
    const { stdout } = await run('chassis', 'bootparam', 'get', '5');
    expect(stdout).toContain('Boot Device Selector : Force PXE');
    expect(stdout).toContain('BIOS EFI boot');
  });

  it('returns its device id', async () => {
    const { stdout } = await run('mc', 'info');
    expect(stdout).toMatch(/Firmware Revision +: 1\.07/);
    expect(stdout).toMatch(/Manufacturer ID +: 4753/);
  });

  it('refuses a wrong password and an unknown user', async () => {
    const target = { ...USER, port: bmc.port, cipherSuite };
    const wrong = await ipmitool({ ...target, password: 'wrong' }, ['-v', 'mc', 'info']);
    expect(wrong.stdout + wrong.stderr).toContain('RAKP 2 HMAC is invalid');
    const unknown = await ipmitool({ ...target, username: 'root' }, ['-v', 'mc', 'info']);
    expect(unknown.stdout + unknown.stderr).toContain('unauthorized name');
    expect([wrong.code, unknown.code]).not.toContain(0);
  });

  it('has no open session at the end', () => {
    expect(bmc.sessions.open).toEqual([]);
  });
});

describe('ipmitool and a fake BMC with a BMC key', () => {
  it('needs K_g', async () => {
    const kgHex = '000102030405060708090a0b0c0d0e0f10111213';
    const bmc = await startFakeBmc({ ...USER, kg: Buffer.from(kgHex, 'hex') });
    try {
      const target = { ...USER, port: bmc.port, cipherSuite: 17 };
      expect((await ipmitool({ ...target, kgHex }, ['chassis', 'power', 'status'])).code).toBe(0);
      expect((await ipmitool(target, ['chassis', 'power', 'status'])).code).not.toBe(0);
    } finally {
      await bmc.stop();
    }
  });
});
