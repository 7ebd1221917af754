/** The client against a fake BMC on loopback: its operations, and its reactions to faults of the BMC. */
import { chassisControl } from '@ingot/shared/codec/ipmi/chassis-control.ts';
import { getChassisStatus } from '@ingot/shared/codec/ipmi/chassis-status.ts';
import { closeSession } from '@ingot/shared/codec/ipmi/close-session.ts';
import { describe, expect, it, vi } from 'vitest';
import type { BmcFaults } from '../../../test/fakes/bmc/faults.ts';
import { BMC_USER, startTestIpmi } from '../../../test/fakes/bmc/test-ipmi.ts';
import { until } from '../../../test/fakes/idle-clock.ts';
import { SEED } from '../../../test/random-cases.ts';
import { IngotError } from '../../domain/errors.ts';
import type { IpmiAddress } from './address.ts';
import { BmcError } from './bmc-error.ts';
import { Secret } from './secret.ts';

/** No name can be resolved, and no name server is asked. All other addresses here are numeric. */
vi.mock(import('node:dns/promises'), async (original) => ({
  ...(await original()),
  lookup: async (name: string) => {
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
    });
  },
}));

/** The error with which a promise rejects. */
async function errorOf(promise: Promise<unknown>): Promise<BmcError> {
  const error: unknown = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(BmcError);
  return error as BmcError;
}

describe.each([3, 17] as const)('IPMI client, cipher suite %i', (suite) => {
  it('reads and sets power, boot device and the rest', async () => {
    await using test = await startTestIpmi({ cipherSuites: [suite] });
    const client = test.clients.for(test.address({ cipherSuites: [suite] }));
    expect(await client.getPowerState()).toBe('power off');
    await client.setPower('on');
    expect(await client.getPowerState()).toBe('power on');
    await client.setPower('soft off');
    expect(test.bmc.machine.powerOn).toBe(false);
    await client.setBootDevice({ device: 'pxe', persistent: true, uefi: true });
    expect(test.bmc.machine.bootFlags).toEqual({ valid: true, persistent: true, uefi: true, selector: 1 });
    expect(test.bmc.machine.validClearing).toBe(0x08);
    expect(await client.getBootDevice()).toEqual({
      device: 'pxe',
      valid: true,
      persistent: true,
      uefi: true,
    });
    expect(await client.getDeviceId()).toMatchObject({ manufacturerId: 0x1291, firmwareVersion: '1.07' });
    expect(await client.getBmcAddress()).toEqual({
      ipv4: '10.0.0.5',
      source: 'dhcp',
      mac: '52:54:00:0a:00:05',
    });
    expect(test.bmc.sessions.opened).toBe(1);
  });

  it('uses the K_g key', async () => {
    const kg = Buffer.from('000102030405060708090a0b0c0d0e0f10111213', 'hex');
    await using test = await startTestIpmi({ kg, cipherSuites: [suite] });
    const without = await errorOf(test.clients.for(test.address()).getPowerState());
    expect(without.failure).toBe('wrong K_g');
    expect(without.message).toContain('ipmi_hex_kg_key');
    expect(await test.clients.for(test.address({ kg: new Secret(kg) })).getPowerState()).toBe('power off');
  });
});

describe('IPMI client, time-out of boot flags', () => {
  it('is not set when driver_info says so', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address({ disableBootTimeout: false }));
    await client.setBootDevice({ device: 'disk', persistent: false, uefi: false });
    expect(test.bmc.machine.validClearing).toBe(0);
    expect(test.bmc.machine.bootFlags).toMatchObject({ selector: 2, persistent: false });
  });
});

describe('IPMI client, errors of the operator', () => {
  const wrong: readonly {
    name: string;
    changes: Partial<IpmiAddress>;
    faults?: BmcFaults;
    bmc?: object;
    failure: string;
    text: RegExp;
  }[] = [
    {
      name: 'user name',
      changes: { username: 'root' },
      failure: 'unknown user',
      text: /RAKP 2 status 0x0d: unauthorized name.*check driver_info\.ipmi_username/,
    },
    {
      name: 'password',
      changes: { password: Secret.ofText('quite-wrong') },
      failure: 'wrong password',
      text: /check driver_info\.ipmi_password/,
    },
    {
      name: 'privilege level',
      changes: {},
      bmc: { maxPrivilege: 3 },
      failure: 'privilege refused',
      text: /RAKP 2 status 0x0a.*check driver_info\.ipmi_priv_level/,
    },
    {
      name: 'cipher suite',
      changes: { cipherSuites: [17] },
      bmc: { cipherSuites: [3] },
      failure: 'cipher suite refused',
      text: /suite 17: Open Session status 0x04.*set driver_info\.ipmi_cipher_suite/,
    },
    {
      name: 'K_g on a BMC without one',
      changes: { kg: Secret.ofText('12345678901234567890') },
      failure: 'wrong K_g',
      text: /this BMC has no K_g set/,
    },
    {
      name: 'privilege too low for the command',
      changes: { privilege: 'USER' },
      failure: 'command refused',
      text: /completion code 0xd4: insufficient privilege/,
    },
  ];

  it.each(wrong)('$name causes its error at once, and no session stays open', async (row) => {
    await using test = await startTestIpmi({ ...row.bmc });
    const client = test.clients.for(test.address(row.changes));
    const began = Date.now();
    const error = await errorOf(client.setPower('on'));
    expect(error.failure).toBe(row.failure);
    expect(error.message).toMatch(row.text);
    expect(error.message).toContain(`BMC 127.0.0.1:${test.bmc.port}: Chassis Control failed`);
    expect(error.code).toBe('bmcFailure');
    expect(Date.now() - began).toBeLessThan(2_000);
    await test.clients.closeAll();
    await until(() => test.bmc.sessions.open.length === 0);
  });

  it('never shows a password', async () => {
    await using test = await startTestIpmi();
    const address = test.address({ password: Secret.ofText('quite-wrong') });
    const error = await errorOf(test.clients.for(address).getPowerState());
    const { inspect } = await import('node:util');
    const shown = [
      inspect(error, { depth: 9 }),
      inspect(address),
      JSON.stringify(address),
      `${address.password}`,
    ];
    for (const text of [...shown, ...test.log.lines]) expect(text).not.toMatch(/quite-wrong|pass-word/);
    await test.clients.for(test.address()).getPowerState();
    for (const text of test.log.lines) expect(text).not.toContain(BMC_USER.password);
  });
});

describe('IPMI client, cipher suites', () => {
  it('tries the next suite until the BMC accepts one, and starts with it next time', async () => {
    await using test = await startTestIpmi({ cipherSuites: [3] }, { idleMs: 30 });
    const client = test.clients.for(test.address());
    await client.getPowerState();
    const first = test.bmc.received();
    await test.clock.pass(30);
    await until(() => test.bmc.sessions.open.length === 0);
    await client.getPowerState();
    // The second login must send no Open Session for suite 17; its own extra packet is the Close Session of the first
    // session.
    expect(test.bmc.sessions.opened).toBe(2);
    expect(test.bmc.received() - first).toBeLessThanOrEqual(first + 1);
    expect(test.log.lines.filter((l) => l.includes('"cipherSuite":3'))).toHaveLength(2);
  });

  it('tries the next suite when the BMC ignores one', async () => {
    await using test = await startTestIpmi({ faults: { ignoredSuites: [17] } });
    expect(await test.clients.for(test.address()).getPowerState()).toBe('power off');
    expect(test.log.lines.some((l) => l.includes('"cipherSuite":3'))).toBe(true);
  });
});

describe('IPMI client, a BMC with faults', () => {
  it('loses 30 % of the datagrams: 100 commands all succeed and no session is left', async () => {
    await using test = await startTestIpmi(
      { faults: { dropShare: 0.3 }, seed: SEED },
      { commandTimeoutMs: 20_000, firstTryMs: 5, longestTryMs: 20 },
    );
    const client = test.clients.for(test.address());
    for (let n = 0; n < 50; n++) {
      const on = n % 2 === 0;
      await client.setPower(on ? 'on' : 'off');
      expect(await client.getPowerState(), `seed ${SEED}`).toBe(on ? 'power on' : 'power off');
    }
    test.bmc.faults.dropShare = 0;
    await client.getPowerState();
    expect(test.bmc.sessions.open.length, `seed ${SEED}`).toBe(1);
    await test.clients.closeAll();
    expect(test.bmc.sessions.open).toEqual([]);
  });

  it('answers late: no second session, one answer used', async () => {
    await using test = await startTestIpmi({ faults: { answerAfterMs: 90 } });
    expect(await test.clients.for(test.address()).getPowerState()).toBe('power off');
    await test.clients.for(test.address()).setPower('on');
    expect(test.bmc.sessions.mostOpen).toBe(1);
  });

  it('has no session left at first', async () => {
    await using test = await startTestIpmi({ faults: { maxSessions: 0 } });
    const waiting = test.clients.for(test.address()).getPowerState();
    await until(() => test.bmc.received() > 2);
    test.bmc.faults.maxSessions = 1;
    expect(await waiting).toBe('power off');
  });

  it('never has a session left', async () => {
    await using test = await startTestIpmi({ faults: { maxSessions: 0 } }, { commandTimeoutMs: 150 });
    const error = await errorOf(test.clients.for(test.address()).getPowerState());
    expect(error.failure).toBe('no session left');
    expect(error.message).toMatch(/status 0x01: insufficient resources.*after \d+ tries/);
  });

  it.each([
    [0x01, 'no session left'],
    [0x02, 'session refused'],
    [0x0f, 'session refused'],
  ])('refuses the log-in with status %i: tried again, then the error is %s', async (status, failure) => {
    await using test = await startTestIpmi({ faults: { rakp1Status: status } }, { commandTimeoutMs: 150 });
    const error = await errorOf(test.clients.for(test.address()).getPowerState());
    expect(error.failure).toBe(failure);
    expect(error.tries).toBeGreaterThan(2);
    expect(error.message).toContain('RAKP 2 status');
    test.bmc.faults.rakp1Status = undefined;
    expect(await test.clients.for(test.address()).getPowerState()).toBe('power off');
  });

  it('does not answer in the middle of the log-in: its half-open sessions are dropped', async () => {
    await using test = await startTestIpmi({ faults: { ignoresRakp1: true } }, { commandTimeoutMs: 500 });
    const error = await errorOf(test.clients.for(test.address()).getPowerState());
    expect(error.failure).toBe('no answer');
    expect(error.message).toContain('RAKP 1');
    await until(() => test.bmc.sessions.all.size === 0);
  });

  it('refuses Close Session for a session that it forgot: that is expected; any other refusal is logged once', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    const complaints = () => test.log.lines.filter((line) => line.includes('abandoned IPMI session'));
    await client.getPowerState();
    test.bmc.forgetSessions();
    await client.getPowerState();
    expect(complaints()).toEqual([]);
    test.bmc.forgetSessions();
    test.bmc.faults.refuse = { [closeSession.code]: 0xd4 };
    await client.getPowerState();
    await client.getPowerState();
    expect(complaints()).toEqual([expect.stringContaining('0xd4: insufficient privilege')]);
    test.bmc.faults.refuse = {};
  });

  it('forgets the session: it is opened again once', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    await client.getPowerState();
    test.bmc.forgetSessions();
    expect(await client.getPowerState()).toBe('power off');
    expect(test.bmc.sessions.opened).toBe(2);
    expect(test.bmc.sessions.mostOpen).toBe(1);
  });

  it('stops answering but keeps the session: it is closed in the next session', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    await client.getPowerState();
    const [old] = test.bmc.sessions.open;
    // Answers with a wrong code are ignored.
    test.bmc.faults.wrongAuthCodes = 3;
    await client.getPowerState();
    expect(test.bmc.sessions.open).toHaveLength(1);
    expect(test.bmc.sessions.open[0]?.bmcSessionId).not.toBe(old?.bmcSessionId);
  });

  it.each<{ name: string; faults: BmcFaults }>([
    { name: 'answers with the previous sequence number', faults: { wrongSequences: 2 } },
    { name: 'signs wrongly', faults: { wrongAuthCodes: 2 } },
    { name: 'truncates its answers', faults: { truncatedAnswers: 2 } },
    { name: 'is busy', faults: { busyAnswers: 3 } },
    { name: 'sends every answer three times', faults: { repeats: 2 } },
  ])('$name: the command is repeated, and wrong answers are ignored', async ({ faults }) => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    await client.getDeviceId();
    Object.assign(test.bmc.faults, faults);
    expect(await client.getPowerState()).toBe('power off');
    await client.setPower('on');
    expect(await client.getPowerState()).toBe('power on');
  });

  it('stays busy: the error contains the completion code', async () => {
    await using test = await startTestIpmi({ faults: { busyAnswers: 0 } }, { commandTimeoutMs: 200 });
    const client = test.clients.for(test.address());
    await client.getDeviceId();
    test.bmc.faults.busyAnswers = 10_000;
    const error = await errorOf(client.getPowerState());
    expect(error).toMatchObject({ failure: 'command refused', completionCode: 0xc0 });
    expect(error.message).toContain('0xc0: node busy');
  });

  it('sends too little data in a genuine answer', async () => {
    await using test = await startTestIpmi({ faults: { shortData: [getChassisStatus.code] } });
    const error = await errorOf(test.clients.for(test.address()).getChassisStatus());
    expect(error.failure).toBe('bad answer');
    expect(error.message).toContain('response: 2 bytes, at least 3 needed');
  });

  it('acknowledges power on without doing it: the power state shows it', async () => {
    await using test = await startTestIpmi({ faults: { ignoresPower: true } });
    const client = test.clients.for(test.address());
    await client.setPower('on');
    expect(await client.getPowerState()).toBe('power off');
  });

  it('acknowledges a boot device but keeps another', async () => {
    await using test = await startTestIpmi({ faults: { ignoresBootDevice: true } });
    const client = test.clients.for(test.address());
    const error = await errorOf(client.setBootDevice({ device: 'pxe', persistent: false, uefi: true }));
    expect(error.failure).toBe('not obeyed');
    expect(error.message).toContain('boot device pxe was acknowledged, but the BMC reports none');
  });

  it('does not know the optional boot parameters', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    const setBootOptions = 0x08;
    test.bmc.faults.refuse = { [setBootOptions]: 0x80 };
    const error = await errorOf(client.setBootDevice({ device: 'pxe', persistent: false, uefi: true }));
    expect(error.message).toContain('0x80: parameter not supported');
  });
});

describe('IPMI client, a BMC that does not answer', () => {
  it('ends at the deadline, naming the command, the address and the tries', async () => {
    await using test = await startTestIpmi({ faults: { dropShare: 1 } });
    const began = Date.now();
    const deadline = new Date(began + 250);
    const error = await errorOf(test.clients.for(test.address()).getPowerState({ deadline }));
    const tookMs = Date.now() - began;
    expect(tookMs).toBe(250);
    expect(error.failure).toBe('no answer');
    expect(error.tries).toBeGreaterThan(2);
    expect(error.message).toMatch(
      /^BMC 127\.0\.0\.1:\d+: Get Chassis Status failed, no answer .* after \d+ tries;/,
    );
  });

  it('distinguishes a closed port from no answer', async () => {
    await using test = await startTestIpmi({}, { commandTimeoutMs: 200 });
    const client = test.clients.for(test.address());
    await client.getPowerState();
    await test.bmc.stop();
    expect((await errorOf(client.getPowerState())).failure).toBe('port closed');
  });

  it('has a name that can not be resolved', async () => {
    await using test = await startTestIpmi({}, { commandTimeoutMs: 1_000 });
    const client = test.clients.for(test.address({ host: 'bmc.invalid' }));
    const error = await errorOf(client.getPowerState());
    expect(error.failure).toBe('name not resolved');
    expect(error.message).toContain('BMC bmc.invalid:');
  });

  it('stops at once when it is cancelled, and works again afterwards', async () => {
    await using test = await startTestIpmi({ faults: { dropShare: 1 } });
    const client = test.clients.for(test.address());
    const caller = new AbortController();
    const asked = client.getPowerState({ signal: caller.signal });
    const queued = client.getDeviceId({ signal: caller.signal });
    await until(() => test.bmc.received() > 0);
    caller.abort(new Error('no longer wanted'));
    for (const promise of [asked, queued]) {
      const error: unknown = await promise.catch((e: unknown) => e);
      expect(error).toBeInstanceOf(IngotError);
      expect((error as IngotError).code).toBe('aborted');
      expect((error as IngotError).message).toContain('was cancelled: no longer wanted');
    }
    await expect(client.getPowerState({ signal: caller.signal })).rejects.toThrow('was cancelled');
    test.bmc.faults.dropShare = 0;
    expect(await client.getPowerState()).toBe('power off');
  });
});

describe('IPMI client, many commands', () => {
  it('leaks no session over 1,000 commands from many callers', async () => {
    await using test = await startTestIpmi();
    const ask = async (n: number) => {
      const client = test.clients.for(test.address());
      if (n % 10 === 0) await client.setPower(n % 20 === 0 ? 'on' : 'off');
      else if (n % 3 === 0) await client.getBootDevice();
      else await client.getPowerState();
    };
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(n)));
    expect(test.bmc.sessions).toMatchObject({ opened: 1, mostOpen: 1 });
    expect(test.bmc.commands.filter((code) => code === chassisControl.code)).toHaveLength(100);
    await test.clients.closeAll();
    expect(test.bmc.sessions.all.size).toBe(0);
  });

  it('leaks no session when every command is cancelled at some point', async () => {
    await using test = await startTestIpmi({ faults: { answerAfterMs: 3 } });
    for (let n = 0; n < 60; n++) {
      const caller = new AbortController();
      const asked = test.clients
        .for(test.address({ cipherSuites: n % 2 === 0 ? [17] : [3] }))
        .getPowerState({ signal: caller.signal })
        .catch((error: unknown) => error);
      const timer = setTimeout(() => caller.abort(), n % 30);
      await asked;
      clearTimeout(timer);
    }
    await test.clients.closeAll();
    // Close Session requests without an answer may still be on their way.
    await until(() => test.bmc.sessions.open.length === 0);
  });
});
