import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PartsRig, startPartsRig } from '../../test/fakes/engine-parts.ts';
import type { PowerTarget } from '../domain/drivers.ts';
import type { NewNode } from '../domain/node.ts';
import { createNodeHardware } from './node-hardware.ts';

let rig: PartsRig;
let failing: Error | undefined;
beforeEach(async () => {
  failing = undefined;
  rig = await startPartsRig({
    settings: { lockQueueMs: 5 },
    power: {
      setPowerState: async ({ node }, target) => {
        if (failing) throw failing;
        rig.told.push(`${node.uuid}: ${target}`);
      },
    },
  });
});
afterEach(() => rig[Symbol.asyncDispose]());

async function power(target: PowerTarget, fields: Partial<NewNode> = {}) {
  const { uuid } = await rig.add(fields);
  const hardware = createNodeHardware(rig.parts);
  await hardware.power(uuid, target);
  const accepted = (await rig.find(uuid)).targetPowerState;
  await hardware.settle();
  return { accepted, node: await rig.find(uuid) };
}

describe('a power change asked for', () => {
  it('is accepted when it is stored, and goes on by itself', async () => {
    const { node } = await power('power on', { lastError: 'earlier' });
    expect(node).toMatchObject({
      powerState: 'power on',
      targetPowerState: null,
      lastError: null,
      holder: null,
    });
    expect(rig.told).toEqual(['n1: power on']);
  });

  it('that fails afterwards stands in last_error', async () => {
    failing = new Error('no answer');
    const { node } = await power('power on');
    expect(node).toMatchObject({
      targetPowerState: null,
      lastError: "Failed to change power state to 'power on': no answer",
    });
  });

  it.each([
    ['soft power off', {}, 'unsupported'],
    ['power off', { disablePowerOff: true }, 'conflict'],
    ['power on', { targetPowerState: 'power off' }, 'conflict'],
    ['power on', { provisionState: 'cleaning' }, 'invalidState'],
    ['power on', { provisionState: 'clean wait' }, 'invalidState'],
  ] as const)('is refused: %s of %j', async (target, fields, code) => {
    await expect(power(target, fields)).rejects.toMatchObject({ code });
    expect(rig.told).toEqual([]);
    expect((await rig.find('n1')).updatedAt).toBeNull();
  });

  it('is refused while somebody else holds the node', async () => {
    const { uuid } = await rig.add();
    const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
    await rig.parts.locks.hold(uuid, hold, async () => {
      const asked = createNodeHardware(rig.parts).power(uuid, 'power on');
      await expect(asked).rejects.toMatchObject({ code: 'nodeLocked' });
    });
    expect(rig.told).toEqual([]);
  });
});

describe('the boot device', () => {
  it.each([true, false])('is set as asked, persistent %s', async (persistent) => {
    const { uuid } = await rig.add();
    await createNodeHardware(rig.parts).setBootDevice(uuid, { device: 'disk', persistent });
    expect(rig.told).toEqual([`n1: disk ${persistent ? 'from now on' : 'once'}`]);
    expect((await rig.find(uuid)).holder).toBeNull();
  });

  it('must be one that the machine has', async () => {
    const { uuid } = await rig.add();
    const { setBootDevice, supportedBootDevices } = createNodeHardware(rig.parts);
    await expect(setBootDevice(uuid, { device: 'floppy', persistent: false })).rejects.toThrow(
      'Invalid boot device floppy specified. Supported: pxe, disk.',
    );
    expect(await supportedBootDevices(uuid)).toEqual(['pxe', 'disk']);
    expect(rig.told).toEqual([]);
  });
});

describe('work with the hardware', () => {
  it('holds the node, or shares it with whoever holds it', async () => {
    const { uuid } = await rig.add();
    const { withHardware } = createNodeHardware(rig.parts);
    const holder = async () => (await rig.find(uuid)).holder?.purpose;
    expect(await withHardware(uuid, 'lights', holder)).toBe('lights');
    expect(await withHardware(uuid, 'lights', holder, { shares: true })).toBeUndefined();
    const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
    await rig.parts.locks.hold(uuid, hold, async () => {
      expect(await withHardware(uuid, 'lights', holder, { shares: true })).toBe('work');
      await expect(withHardware(uuid, 'lights', holder)).rejects.toMatchObject({ code: 'nodeLocked' });
    });
  });
});

it('validate says of every interface type but vendor whether it is in order', async () => {
  const { uuid } = await rig.add();
  const checks = await createNodeHardware(rig.parts).validate(uuid);
  expect(Object.keys(checks)).toHaveLength(12);
  expect(checks).not.toHaveProperty('vendor');
  expect(Object.values(checks).every(({ result }) => result)).toBe(true);
});
