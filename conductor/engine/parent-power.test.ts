import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { PowerTarget } from '../domain/drivers.ts';
import { changePower } from './power.ts';

let test: TestEngineParts;
beforeEach(async () => {
  test = await startTestEngineParts({ settings: { lockQueueMs: 5 } });
  await test.add();
  await test.add({ parentNode: 'n1' });
  await test.add({ parentNode: 'n1', driverInfo: { has_dedicated_power_supply: true } });
});
afterEach(() => test[Symbol.asyncDispose]());

async function change(uuid: string, target: PowerTarget): Promise<readonly string[]> {
  const node = await test.find(uuid);
  await changePower(test.parts, test.parts.hardware.of(node), test.contextOf(node), target);
  return test.told;
}
const allOn = () => {
  for (const uuid of ['n1', 'n2', 'n3']) test.power.set(uuid, 'power on');
};

describe('the power of parent and child', () => {
  it('children without a supply of their own are off before their parent goes off', async () => {
    allOn();
    expect(await change('n1', 'power off')).toEqual(['n2: power off', 'n1: power off']);
    expect(await test.find('n2')).toMatchObject({ powerState: 'power off', holder: null });
  });

  it('a parent is on before a child without a supply of its own', async () => {
    expect(await change('n2', 'power on')).toEqual(['n1: power on', 'n2: power on']);
  });

  it('a child with a supply of its own, and a parent that is on, need nothing', async () => {
    expect(await change('n3', 'power on')).toEqual(['n3: power on']);
    test.power.set('n1', 'power on');
    expect(await change('n2', 'power on')).toEqual(['n3: power on', 'n2: power on']);
  });

  it('a reboot of the parent does not affect its children', async () => {
    allOn();
    expect(await change('n1', 'rebooting')).toEqual(['n1: rebooting']);
  });

  it('a parent stays on while other work has locked a child', async () => {
    allOn();
    const work = Promise.withResolvers<void>();
    const hold = { purpose: 'cleaning', deadlineMs: 60_000, queueMs: 0 };
    const held = test.parts.locks.hold('n2', hold, () => work.promise);
    await expect(change('n1', 'power off')).rejects.toMatchObject({ code: 'nodeLocked' });
    expect(test.told).toEqual([]);
    work.resolve();
    await held;
  });
});
