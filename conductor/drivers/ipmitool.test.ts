import { describe, expect, it } from 'vitest';
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { createIpmiManagement, createIpmiPower, type IpmiAccess } from './ipmitool.ts';

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
  it('that the BMC accepts and never reports is a timeout', async () => {
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

  it('of a new node is asked for within 15 s, and stored', async () => {
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
      updateNode: async (patch: object) => void seen.push(patch),
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

  it('is one that IPMI knows', async () => {
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
