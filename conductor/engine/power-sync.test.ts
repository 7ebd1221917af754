import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { quietLogger } from '../../test/fakes/engine-deps.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { NewNode } from '../domain/node.ts';
import { sweep } from './power-sync.ts';

let test: TestEngineParts;
let silent: boolean;
let failures: Map<string, number>;
beforeEach(async () => {
  silent = false;
  failures = new Map();
  test = await startTestEngineParts({
    settings: { powerSyncMaxFailures: 2 },
    power: {
      getPowerState: async ({ node }) => {
        if (silent) throw new Error('timed out');
        return test.power.get(node.uuid) ?? 'power off';
      },
    },
  });
});
afterEach(() => test[Symbol.asyncDispose]());

const sync = () => sweep(test.parts, failures, new AbortController().signal);
const seen = async (fields: Partial<NewNode>) => {
  const { uuid } = await test.add(fields);
  test.power.set(uuid, 'power on');
  await sync();
  return (await test.find(uuid)).powerState;
};

describe('a sweep', () => {
  it('records what the BMC reports', async () => {
    expect(await seen({ powerState: 'power off' })).toBe('power on');
  });

  it.each([
    ['in enroll', { provisionState: 'enroll' }],
    ['while the ramdisk boots', { provisionState: 'clean wait' }],
    ['on its way to a power state', { targetPowerState: 'power off' }],
    ['in maintenance', { maintenance: true }],
  ] as const)('leaves a node alone %s', async (_, fields) => {
    expect(await seen({ powerState: 'power off', ...fields })).toBe('power off');
  });

  it('skips a locked node and does not queue for its lock', async () => {
    const { uuid } = await test.add({ powerState: 'power off' });
    test.power.set(uuid, 'power on');
    const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
    await test.parts.locks.hold(uuid, hold, sync);
    expect((await test.find(uuid)).powerState).toBe('power off');
    expect((await test.find(uuid)).holder).toBeNull();
  });
});

it('a sweep warns of a node that it cannot handle, not of one that is locked, and continues', async () => {
  const warn = vi.fn();
  const [locked, unknown, fine] = [
    await test.add({ powerState: 'power on' }),
    await test.add({ powerState: 'power on', driver: 'gone' }),
    await test.add({ powerState: 'power on' }),
  ];
  const parts = { ...test.parts, logger: { ...quietLogger, warn } };
  const hold = { purpose: 'work', deadlineMs: 60_000, queueMs: 0 };
  await test.parts.locks.hold(locked.uuid, hold, () => sweep(parts, failures, new AbortController().signal));
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ node: unknown.uuid }),
    'power sync of a node failed',
  );
  expect((await test.find(fine.uuid)).powerState).toBe('power off');
});

it('a sweep skips a node that is deleted during the sweep, without a warning', async () => {
  const warn = vi.fn();
  await using other = await startTestEngineParts({
    settings: { powerSyncWorkers: 1 },
    power: {
      async getPowerState({ node }) {
        if (node.uuid === 'n1') await other.store.nodes.delete('n2');
        return 'power on';
      },
    },
  });
  for (let n = 0; n < 3; n += 1) await other.add({ powerState: 'power off' });
  await sweep({ ...other.parts, logger: { ...quietLogger, warn } }, failures, new AbortController().signal);
  expect(warn).not.toHaveBeenCalled();
  expect((await other.find('n3')).powerState).toBe('power on');
});

describe('a BMC that does not answer', () => {
  const faulty = { maintenance: true, fault: 'power failure' };

  it('puts its node into maintenance after too many failures, and ends that when it answers again', async () => {
    const { uuid } = await test.add({ powerState: 'power on' });
    silent = true;
    await sync();
    await sync();
    expect(await test.find(uuid)).toMatchObject({ maintenance: false, fault: null });
    await sync();
    const node = await test.find(uuid);
    expect(node).toMatchObject(faulty);
    expect(node.lastError).toBe('During power sync the BMC did not answer 3 times in a row: timed out');
    expect(node.maintenanceReason).toBe(node.lastError);
    silent = false;
    await sync();
    expect(await test.find(uuid)).toMatchObject({
      maintenance: false,
      fault: null,
      maintenanceReason: null,
      powerState: 'power off',
    });
  });

  it('counts only consecutive failures', async () => {
    const { uuid } = await test.add();
    for (const isSilent of [true, true, false, true, true]) {
      silent = isSilent;
      await sync();
    }
    expect(await test.find(uuid)).toMatchObject({ maintenance: false });
  });
});
