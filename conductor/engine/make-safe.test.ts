import { expect, it } from 'vitest';
import type { BootInterface, Hardware } from '../domain/drivers.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { makeSafe } from './make-safe.ts';
import type { EngineParts } from './parts.ts';

/** Records what is done to the node and its machine, in order. */
function failedNode(cleanUp: BootInterface['cleanUp'], disablePowerOff = false, powerFails = false) {
  const done: unknown[] = [];
  let node = {
    ...{ uuid: 'n', disablePowerOff, driverInfo: {}, provisionState: 'deploying' },
    bootTarget: { kind: 'disk' },
  } as unknown as Node;
  const deps = {
    now: () => new Date(),
    store: {
      nodes: {
        async update(_: string, patch: NodePatch) {
          if ('bootTarget' in patch) done.push(patch);
          node = { ...node, ...patch } as Node;
          return node;
        },
        list: async () => [],
        find: async () => undefined,
      },
      sightings: { add: async () => undefined },
    },
  } as unknown as EngineParts;
  const hardware = {
    boot: { cleanUp },
    management: {},
    power: {
      name: 'fake',
      targets: ['power off', 'rebooting'],
      getPowerState: async () => 'power on',
      async setPowerState(_: unknown, target: string) {
        if (powerFails) throw new Error('the BMC is silent');
        done.push(target);
      },
    },
  } as unknown as Hardware;
  return { done, safe: () => makeSafe(deps, hardware, node) };
}

const offerNothing: BootInterface['cleanUp'] = async (context) => {
  await context.updateNode({ bootTarget: null });
  return { kind: 'done' };
};

it('removes the boot target, and powers off or restarts', async () => {
  const off = failedNode(offerNothing);
  expect(await off.safe()).toBeUndefined();
  expect(off.done).toEqual([{ bootTarget: null }, 'power off']);
  const staying = failedNode(offerNothing, true);
  expect(await staying.safe()).toBeUndefined();
  expect(staying.done).toEqual([{ bootTarget: null }, 'rebooting']);
});

it('reports what failed, and does the rest', async () => {
  const broken = failedNode(() => Promise.reject(new Error('no medium')));
  expect(await broken.safe()).toBe('cleaning up the boot failed: no medium');
  expect(broken.done).toEqual(['power off']);
  const silent = failedNode(offerNothing, false, true);
  expect(await silent.safe()).toBe('powering the node off failed: the BMC is silent');
});

it('continues a boot interface that waits, with its memo', async () => {
  const memos: unknown[] = [];
  const slow = failedNode(async (context, memo) => {
    memos.push(memo);
    if (memo['ejected'] === true) return { kind: 'done' };
    await context.remember({ ejected: true });
    const now = context.now().getTime();
    return {
      kind: 'wait',
      waitingFor: { kind: 'hardware' as const, text: 'x' },
      wakeAt: new Date(now),
      deadline: new Date(now + 5_000),
      overdue: 'late',
    };
  });
  expect(await slow.safe()).toBeUndefined();
  expect(memos).toEqual([{}, { ejected: true }]);
});

it('stops waiting for a boot interface after its deadline', async () => {
  const late = failedNode(async () => ({
    kind: 'wait',
    waitingFor: { kind: 'hardware' as const, text: 'x' },
    deadline: new Date(0),
    overdue: 'the medium is still in',
  }));
  expect(await late.safe()).toBe('cleaning up the boot failed: the medium is still in');
});
