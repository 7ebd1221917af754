import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { PowerTarget } from '../domain/drivers.ts';
import type { NewNode, Node } from '../domain/node.ts';
import { createNodeHardware } from './node-hardware.ts';

let test: TestEngineParts;
let failing: Error | undefined;

/** How long one command of a BMC may lock a node. */
const BMC_WORK_MS = 120_000;
beforeEach(async () => {
  failing = undefined;
  test = await startTestEngineParts({
    settings: { lockQueueMs: 5 },
    power: {
      setPowerState: async ({ node }, target) => {
        if (failing) throw failing;
        test.told.push(`${node.uuid}: ${target}`);
      },
    },
  });
});
afterEach(() => test[Symbol.asyncDispose]());

async function power(target: PowerTarget, fields: Partial<NewNode> = {}) {
  const { uuid } = await test.add(fields);
  const hardware = createNodeHardware(test.parts);
  await hardware.power(uuid, target);
  const accepted = (await test.find(uuid)).targetPowerState;
  await hardware.settle();
  return { accepted, node: await test.find(uuid) };
}

describe('a requested power change', () => {
  it('is accepted when it is stored, and continues in the background', async () => {
    const { node } = await power('power on', { lastError: 'earlier' });
    expect(node).toMatchObject({
      powerState: 'power on',
      targetPowerState: null,
      lastError: null,
      holder: null,
    });
    expect(test.told).toEqual(['n1: power on']);
  });

  it.each([
    [undefined, 0],
    [90_000, 90_000],
  ])(
    'with the time limit %s ms locks the node for that much longer than a BMC may take',
    async (limit, longer) => {
      const { uuid } = await test.add();
      let heldMs = 0;
      const own = { ...test.parts.hardware.of(await test.find(uuid)).power };
      own.setPowerState = async () => {
        const { holder } = await test.find(uuid);
        heldMs = Number(holder?.deadline) - Number(holder?.since);
      };
      const of = (node: Node) => ({ ...test.parts.hardware.of(node), power: own });
      const hardware = createNodeHardware({ ...test.parts, hardware: { ...test.parts.hardware, of } });
      await hardware.power(uuid, 'power on', limit);
      await hardware.settle();
      expect(heldMs).toBe(BMC_WORK_MS + longer);
    },
  );

  it('that fails later sets last_error', async () => {
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
    expect(test.told).toEqual([]);
    expect((await test.find('n1')).updatedAt).toBeNull();
  });

  it('is refused while other work has locked the node', async () => {
    const { uuid } = await test.add();
    const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
    await test.parts.locks.hold(uuid, hold, async () => {
      const asked = createNodeHardware(test.parts).power(uuid, 'power on');
      await expect(asked).rejects.toMatchObject({ code: 'nodeLocked' });
    });
    expect(test.told).toEqual([]);
  });
});

describe('the boot device', () => {
  it.each([true, false])('is set as requested, persistent %s', async (persistent) => {
    const { uuid } = await test.add();
    await createNodeHardware(test.parts).setBootDevice(uuid, { device: 'disk', persistent });
    expect(test.told).toEqual([`n1: disk ${persistent ? 'from now on' : 'once'}`]);
    expect((await test.find(uuid)).holder).toBeNull();
  });

  it('must be one that the machine has', async () => {
    const { uuid } = await test.add();
    const { setBootDevice, supportedBootDevices } = createNodeHardware(test.parts);
    await expect(setBootDevice(uuid, { device: 'floppy', persistent: false })).rejects.toThrow(
      'Invalid boot device floppy specified. Supported: pxe, disk.',
    );
    expect(await supportedBootDevices(uuid)).toEqual(['pxe', 'disk']);
    expect(test.told).toEqual([]);
  });
});

describe('work with the hardware', () => {
  it('locks the node, or shares it with the holder of the lock', async () => {
    const { uuid } = await test.add();
    const { withHardware } = createNodeHardware(test.parts);
    const holder = async () => (await test.find(uuid)).holder?.purpose;
    expect(await withHardware(uuid, 'lights', holder)).toBe('lights');
    expect(await withHardware(uuid, 'lights', holder, { shares: true })).toBeUndefined();
    const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
    await test.parts.locks.hold(uuid, hold, async () => {
      expect(await withHardware(uuid, 'lights', holder, { shares: true })).toBe('work');
      await expect(withHardware(uuid, 'lights', holder)).rejects.toMatchObject({ code: 'nodeLocked' });
    });
  });
});

it('validate reports for every interface type but vendor whether it is valid', async () => {
  const { uuid } = await test.add();
  const checks = await createNodeHardware(test.parts).validate(uuid);
  expect(Object.keys(checks)).toHaveLength(12);
  expect(checks).not.toHaveProperty('vendor');
  expect(Object.values(checks).every(({ result }) => result)).toBe(true);
});

it('a boot device that the BMC refuses is an error', async () => {
  await using other = await startTestEngineParts({
    management: { setBootDevice: () => Promise.reject(new Error('not allowed')) },
  });
  const { uuid } = await other.add();
  const set = createNodeHardware(other.parts).setBootDevice(uuid, { device: 'pxe', persistent: false });
  await expect(set).rejects.toThrow('not allowed');
  expect((await other.find(uuid)).holder).toBeNull();
});
