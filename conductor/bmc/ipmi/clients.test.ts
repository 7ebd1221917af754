import { describe, expect, it } from 'vitest';
import { startIpmiRig } from '../../../test/fakes/bmc/ipmi-rig.ts';
import { until } from '../../../test/fakes/idle-clock.ts';
import { createIpmiClients } from './clients.ts';
import { Secret } from './secret.ts';

describe('the registry of BMC clients', () => {
  it('opens nothing before the first command, and one session for all callers', async () => {
    await using rig = await startIpmiRig();
    const [a, b] = [rig.clients.for(rig.address()), rig.clients.for(rig.address())];
    expect(rig.bmc.received()).toBe(0);
    await Promise.all([a.getPowerState(), b.getDeviceId(), a.getBootDevice()]);
    expect(rig.bmc.sessions).toMatchObject({ opened: 1, mostOpen: 1 });
  });

  it('closes an idle session and opens another when needed', async () => {
    await using rig = await startIpmiRig({}, { idleMs: 20 });
    const client = rig.clients.for(rig.address());
    await client.getPowerState();
    await rig.clock.pass(20);
    await until(() => rig.bmc.sessions.all.size === 0);
    await client.getPowerState();
    expect(rig.bmc.sessions).toMatchObject({ opened: 2, mostOpen: 1 });
  });

  it('replaces the session when the credentials change', async () => {
    await using rig = await startIpmiRig();
    await rig.clients.for(rig.address()).getPowerState();
    const changed = rig.clients.for(rig.address({ password: Secret.ofText('changed') }));
    await expect(changed.getPowerState()).rejects.toThrow('wrong password');
    await until(() => rig.bmc.sessions.all.size === 0);
    await rig.clients.for(rig.address({ privilege: 'OPERATOR' })).setPower('on');
    expect(rig.bmc.sessions).toMatchObject({ opened: 2, mostOpen: 1 });
    expect(rig.bmc.sessions.open[0]?.privilege).toBe(3);
  });

  it('calls off what is at work when it closes, quickly, and takes no more', async () => {
    await using rig = await startIpmiRig();
    const client = rig.clients.for(rig.address());
    await client.getPowerState();
    rig.bmc.faults.dropShare = 1;
    const work = [client.getPowerState(), client.getDeviceId()].map((p) => p.catch((e: unknown) => e));
    const began = Date.now();
    await rig.clients.closeAll();
    expect(Date.now() - began).toBeLessThan(1_000);
    for (const error of await Promise.all(work)) {
      expect(error).toMatchObject({ code: 'aborted', message: expect.stringContaining('shutting down') });
    }
    await expect(client.getPowerState()).rejects.toThrow('shutting down');
  });

  it('closes twice, and without ever having been used', async () => {
    const clients = createIpmiClients({ logger: { debug: () => undefined, warn: () => undefined } });
    await clients.closeAll();
    await clients.closeAll();
  });
});
