import { expect, it } from 'vitest';
import { cleanUpBoot, prepareInstance, prepareRamdisk } from './boot-work.ts';
import type { BootContext, StepContext } from './drivers.ts';
import type { JsonObject } from './json.ts';

/** A step whose boot interface records its calls and counts them in its memo. */
function stepWithBoot() {
  const calls: unknown[] = [];
  let memo: JsonObject = { own: true };
  const called =
    (name: string) =>
    async (context: BootContext, known: JsonObject, ...more: unknown[]) => {
      calls.push([name, known, ...more, context.node.uuid]);
      await context.remember({ calls: calls.length });
      return { kind: 'done' };
    };
  const step = {
    node: { uuid: 'n' },
    get step() {
      return { memo };
    },
    hardware: {
      boot: {
        prepareRamdisk: called('ramdisk'),
        prepareInstance: called('instance'),
        cleanUp: called('clean up'),
      },
    },
    remember: async (more: JsonObject) => {
      memo = { ...memo, ...more };
    },
  } as unknown as StepContext;
  return { step, calls, memo: () => memo };
}

it('keeps the memos of the works and of the step separate', async () => {
  const { step, calls, memo } = stepWithBoot();
  await prepareRamdisk(step, { a: 1 });
  await prepareRamdisk(step, { a: 1 });
  await prepareInstance(step);
  await prepareInstance(step, { isRunning: true });
  await cleanUpBoot(step);
  expect(calls).toEqual([
    ['ramdisk', {}, { a: 1 }, 'n'],
    ['ramdisk', { calls: 1 }, { a: 1 }, 'n'],
    ['instance', {}, { isRunning: false }, 'n'],
    ['instance', { calls: 3 }, { isRunning: true }, 'n'],
    ['clean up', {}, 'n'],
  ]);
  expect(memo()).toEqual({
    own: true,
    'boot.prepare_ramdisk': { calls: 2 },
    'boot.prepare_instance': { calls: 4 },
    'boot.clean_up': { calls: 5 },
  });
});
