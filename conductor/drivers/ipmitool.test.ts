import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { PowerTarget, StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node, PowerState } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { createIpmiManagement, createIpmiPower, type IpmiAccess } from './ipmitool.ts';

vi.mock(import('node:timers/promises'), async (original) => ({ ...(await original()), setTimeout: vi.fn() }));

const context = (more: object = {}, now = () => new Date()): NodeContext => ({
  node: { driverInfo: {}, instanceInfo: {}, properties: {}, bootMode: null, ...more } as unknown as Node,
  ports: [],
  signal: new AbortController().signal,
  now,
});

type Session = ReturnType<IpmiAccess['session']>;
const accessTo = (session: Partial<Session>): IpmiAccess => ({
  validate: () => undefined,
  session: () => session as Session,
});

describe('power', () => {
  it('is read every half second until it is the wanted one', async () => {
    const log: string[] = [];
    const states = ['power off', 'power off', 'power on'] as ('power off' | 'power on')[];
    vi.mocked(sleep).mockImplementation(async (ms) => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`wait ${ms} ms`);
    });
    const power = createIpmiPower(
      accessTo({
        setPower: async () => undefined,
        getPowerState: async () => {
          log.push('read');
          return states.shift()!;
        },
      }),
    );
    await power.setPowerState(context(), 'power on');
    expect(log).toEqual(['read', 'wait 500 ms', 'read', 'wait 500 ms', 'read']);
  });

  it('ends in a timeout when the BMC accepts it but never reports it', async () => {
    let nowMs = 0;
    const power = createIpmiPower(
      accessTo({
        getPowerState: async () => {
          nowMs += 61_000;
          return 'power off';
        },
        setPower: async () => undefined,
      }),
    );
    await expect(
      power.setPowerState(
        context({}, () => new Date(nowMs)),
        'power on',
      ),
    ).rejects.toThrow('the BMC accepted "power on" but still does not report "power on" after 60 s');
  });

  it('is read only after the BMC has accepted the command', async () => {
    const log: string[] = [];
    const power = createIpmiPower(
      accessTo({
        setPower: async (action) => {
          await new Promise((resolve) => setImmediate(resolve));
          log.push(`took ${action}`);
        },
        getPowerState: async () => {
          log.push('read');
          return 'power on';
        },
      }),
    );
    await power.setPowerState(context(), 'power on');
    expect(log).toEqual(['took on', 'read']);
  });

  it('of a new node is read within 15 s, and stored', async () => {
    const seen: unknown[] = [];
    const power = createIpmiPower(
      accessTo({
        getPowerState: async (options) => {
          seen.push(options?.deadline);
          return 'power on';
        },
      }),
    );
    const step = {
      ...context({}, () => new Date(0)),
      updateNode: async (patch: object) => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(patch);
      },
    } as unknown as StepContext;
    expect(await power.steps![0]!.advance(step)).toEqual({ kind: 'done' });
    expect(seen).toEqual([new Date(15_000), { powerState: 'power on' }]);
  });
});

describe('the boot device', () => {
  const set: unknown[] = [];
  const management = createIpmiManagement(
    accessTo({
      setBootDevice: async (setting) => void set.push(setting),
      getBootDevice: async () => ({ device: 'disk', persistent: true }) as never,
    }),
  );

  it.each([
    [{ bootMode: 'uefi' }, true],
    [{ bootMode: 'bios' }, false],
    [{ bootMode: null }, false],
    [{ bootMode: 'bios', instanceInfo: { capabilities: 'boot_mode:uefi' } }, true],
    [{ bootMode: 'uefi', properties: { capabilities: 'boot_mode:bios' } }, false],
  ])('is set for the boot mode of %j: UEFI %s', async (node, uefi) => {
    for (const persistent of [false, true]) {
      await management.setBootDevice(context(node), { device: 'pxe', persistent });
      expect(set.pop()).toEqual({ device: 'pxe', persistent, uefi });
    }
  });

  it('is one that IPMI has', async () => {
    expect(await management.supportedBootDevices(context())).toEqual([
      'pxe',
      'disk',
      'cdrom',
      'bios',
      'safe',
      'floppy',
    ]);
    const wrong = management.setBootDevice(context(), { device: 'wanboot', persistent: false });
    await expect(wrong).rejects.toBeInstanceOf(IngotError);
    await expect(wrong).rejects.toThrow('Invalid boot device wanboot specified. Supported: pxe, disk');
    expect(set).toEqual([]);
  });

  it('is read back', async () => {
    expect(await management.getBootDevice(context())).toEqual({ device: 'disk', persistent: true });
  });
});

type Power = Exclude<PowerState, 'error'>;

/** A BMC that reports a new power state only after some reads. Records commands in the order in which they ended. */
function slowMachine(state: Power, looks = 1) {
  const told: string[] = [];
  let [left, next] = [0, state];
  const power = createIpmiPower(
    accessTo({
      async getPowerState() {
        if (left > 0 && --left === 0) state = next;
        return state;
      },
      async setPower(action) {
        await new Promise((resolve) => setImmediate(resolve));
        told.push(`${action}, while ${state}`);
        [left, next] = [looks, action === 'on' || action === 'reset' ? 'power on' : 'power off'];
      },
    }),
  );
  return { power, told, state: () => state };
}

describe('a power change', () => {
  it.each<[PowerTarget, Power, string[], Power]>([
    ['power on', 'power off', ['on, while power off'], 'power on'],
    ['power off', 'power on', ['off, while power on'], 'power off'],
    ['soft power off', 'power on', ['soft off, while power on'], 'power off'],
    ['rebooting', 'power on', ['off, while power on', 'on, while power off'], 'power on'],
    ['rebooting', 'power off', ['on, while power off'], 'power on'],
    ['soft rebooting', 'power on', ['soft off, while power on', 'on, while power off'], 'power on'],
    ['soft rebooting', 'power off', ['on, while power off'], 'power on'],
  ])('%s of a machine that has %s: %j', async (target, before, told, after) => {
    const machine = slowMachine(before);
    expect(machine.power.targets).toContain(target);
    await machine.power.setPowerState(context(), target);
    expect([machine.told, machine.state()]).toEqual([told, after]);
  });

  it('waits until the machine has changed', async () => {
    const machine = slowMachine('power on', 2);
    await machine.power.setPowerState(context(), 'power off');
    expect(machine.state()).toBe('power off');
  });

  it.each([
    ['soft power off', 5_000, 'after 5 s'],
    ['soft power off', undefined, 'after 600 s'],
    ['soft rebooting', 5_000, 'after 5 s'],
    ['power off', 5_000, 'after 60 s'],
  ] as const)('%s with a limit of %s ms that the machine ignores fails %s', async (target, limit, text) => {
    let nowMs = 0;
    const machine = slowMachine('power on', Number.MAX_SAFE_INTEGER);
    const now = () => {
      nowMs += 1_000_000;
      return new Date(nowMs);
    };
    await expect(machine.power.setPowerState(context({}, now), target, limit)).rejects.toThrow(text);
  });
});

it('power and management use the BMC in driver_info', () => {
  const asked: unknown[] = [];
  const access: IpmiAccess = { ...accessTo({}), validate: (driverInfo) => void asked.push(driverInfo) };
  const { node } = context({ driverInfo: { ipmi_address: 'a' } });
  createIpmiPower(access).validate(node, []);
  createIpmiManagement(access).validate(node, []);
  expect(asked).toEqual([{ ipmi_address: 'a' }, { ipmi_address: 'a' }]);
});

it('a boot device without an Ironic name is reported as none', async () => {
  const session = { getBootDevice: async () => ({ device: 'none', persistent: false }) as never };
  const management = createIpmiManagement(accessTo(session));
  expect(await management.getBootDevice(context())).toEqual({ device: null, persistent: false });
});

it('the power step of a new node can be aborted, and runs again after a restart', () => {
  const [step] = createIpmiPower(accessTo({})).steps!;
  expect(step).toMatchObject({ operation: 'verify', abortable: true, onRestart: 'rerun' });
});
