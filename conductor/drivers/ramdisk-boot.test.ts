import { expect, it } from 'vitest';
import type { BootInterface, StepContext } from '../domain/drivers.ts';
import type { JsonObject } from '../domain/json.ts';
import type { WorkOutcome } from '../domain/step-outcome.ts';
import { bootRamdisk, leaveRamdisk } from './ramdisk-boot.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const WAIT: WorkOutcome = {
  kind: 'wait',
  waitingFor: { kind: 'hardware', text: 'the medium' },
  deadline: NOW,
  overdue: 'late',
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A step on a machine whose boot interface needs two calls for each piece of work, as with virtual media. */
function slowStep(memo: JsonObject = {}) {
  const state = { memo, done: [] as unknown[] };
  const work =
    (name: string): BootInterface['cleanUp'] =>
    async (context, memo) => {
      if (memo['begun'] === true) return { kind: 'done' };
      await context.remember({ begun: true });
      state.done.push(name);
      return WAIT;
    };
  const step = {
    node: { disablePowerOff: false },
    get step() {
      return { memo: state.memo };
    },
    hardware: { boot: { prepareRamdisk: work('insert'), cleanUp: work('eject') }, management: {} },
    now: () => NOW,
    remember: async (more: JsonObject) => {
      await turn();
      state.memo = { ...state.memo, ...more };
    },
    setPower: async (target: string) => {
      await turn();
      state.done.push(target);
    },
    bootProgress: async () => ({ deadline: NOW, overdue: false, message: 'nothing was seen' }),
  } as unknown as StepContext;
  return { step, state };
}

it('powers on when the boot is prepared, and waits for the ramdisk', async () => {
  const { step, state } = slowStep();
  const boot = (there: boolean) => bootRamdisk(step, { kernelParams: {}, arrived: () => there });
  expect(await boot(false)).toBe(WAIT);
  expect(state.done).toEqual(['insert']);
  expect(await boot(false)).toEqual({
    kind: 'wait',
    waitingFor: { kind: 'agent', text: 'agent to call back' },
    deadline: NOW,
    overdue: 'nothing was seen',
  });
  expect(state.done).toEqual(['insert', 'rebooting']);
  expect(state.memo).toEqual({
    'boot.prepare_ramdisk': { begun: true },
    phase: 'booting',
    since: NOW.toISOString(),
  });
  expect(await boot(true)).toEqual({ kind: 'done' });
  expect(state.done).toEqual(['insert', 'rebooting']);
});

it('leaves the ramdisk after the clean-up of the boot', async () => {
  const { step, state } = slowStep();
  expect(await leaveRamdisk(step)).toBe(WAIT);
  expect(await leaveRamdisk(step)).toEqual({ kind: 'done' });
  expect(state.done).toEqual(['power off', 'eject', 'power off']);
});

it('a boot that a crash interrupted begins again, with a new start time', async () => {
  const long = new Date(0).toISOString();
  const prepared = { 'boot.prepare_ramdisk': { begun: true } };
  const { step, state } = slowStep({ ...prepared, phase: 'powering', since: long });
  const since: Date[] = [];
  await bootRamdisk(step, { kernelParams: {}, arrived: (from) => since.push(from) > 0 });
  expect([state.done, since]).toEqual([['rebooting'], [NOW]]);
});
