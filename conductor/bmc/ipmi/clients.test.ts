import { describe, expect, it } from 'vitest';
import { startTestIpmi } from '../../../test/fakes/bmc/test-ipmi.ts';
import { until } from '../../../test/fakes/idle-clock.ts';
import { createIpmiClients } from './clients.ts';
import { Secret } from './secret.ts';

describe('the registry of BMC clients', () => {
  it('opens nothing before the first command, and one session for all callers', async () => {
    await using test = await startTestIpmi();
    const [a, b] = [test.clients.for(test.address()), test.clients.for(test.address())];
    expect(test.bmc.received()).toBe(0);
    await Promise.all([a.getPowerState(), b.getDeviceId(), a.getBootDevice()]);
    expect(test.bmc.sessions).toMatchObject({ opened: 1, mostOpen: 1 });
  });

  it('closes an idle session and opens another when needed', async () => {
    await using test = await startTestIpmi({}, { idleMs: 20 });
    const client = test.clients.for(test.address());
    await client.getPowerState();
    await test.clock.pass(20);
    await until(() => test.bmc.sessions.all.size === 0);
    await client.getPowerState();
    expect(test.bmc.sessions).toMatchObject({ opened: 2, mostOpen: 1 });
  });

  it('replaces the session when the credentials change', async () => {
    await using test = await startTestIpmi();
    await test.clients.for(test.address()).getPowerState();
    const changed = test.clients.for(test.address({ password: Secret.ofText('changed') }));
    await expect(changed.getPowerState()).rejects.toThrow('wrong password');
    await until(() => test.bmc.sessions.all.size === 0);
    await test.clients.for(test.address({ privilege: 'OPERATOR' })).setPower('on');
    expect(test.bmc.sessions).toMatchObject({ opened: 2, mostOpen: 1 });
    expect(test.bmc.sessions.open[0]?.privilege).toBe(3);
  });

  it('cancels running commands when it closes, and rejects new ones', async () => {
    await using test = await startTestIpmi();
    const client = test.clients.for(test.address());
    await client.getPowerState();
    test.bmc.faults.dropShare = 1;
    const work = [client.getPowerState(), client.getDeviceId()].map((p) => p.catch((e: unknown) => e));
    const began = Date.now();
    await test.clients.closeAll();
    expect(Date.now() - began).toBeLessThan(1_000);
    for (const error of await Promise.all(work)) {
      expect(error).toMatchObject({ code: 'aborted', message: expect.stringContaining('shutting down') });
    }
    await expect(client.getPowerState()).rejects.toThrow('shutting down');
  });

  it.each([
    [true, 0],
    [false, 1],
  ])(
    'tells the log whether the BMC acknowledged the end of the session: %s',
    async (acknowledged, dropShare) => {
      await using test = await startTestIpmi();
      await test.clients.for(test.address()).getPowerState();
      test.bmc.faults.dropShare = dropShare;
      await test.clients.closeAll();
      const closed = test.log.lines.filter((line) => line.startsWith('IPMI session closed'));
      expect(closed).toEqual([expect.stringContaining(`"acknowledged":${acknowledged}`)]);
    },
  );

  it('can be closed twice, and without having been used', async () => {
    const clients = createIpmiClients({ logger: { debug: () => undefined, warn: () => undefined } });
    await clients.closeAll();
    await clients.closeAll();
  });
});
