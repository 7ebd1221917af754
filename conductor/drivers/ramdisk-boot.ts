/**
 * Booting the deploy ramdisk, as the first part of a step: prepare, power, wait until it is there. And leaving it.
 */
import { cleanUpBoot, prepareRamdisk } from '../domain/boot-work.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { JsonObject } from '../domain/json.ts';
import type { WorkOutcome } from '../domain/step-outcome.ts';

export interface RamdiskBoot {
  /** Kernel arguments beside the usual ones. */
  readonly kernelParams: JsonObject;
  /** Whether what was waited for has come, e.g. the first heartbeat of this boot. */
  readonly arrived: (since: Date) => boolean;
}

/** `done` when the ramdisk has arrived; fails with the step of the boot that did not happen. */
export async function bootRamdisk(context: StepContext, boot: RamdiskBoot): Promise<WorkOutcome> {
  if (context.step.memo['phase'] !== 'booting') {
    const powered = await powerIntoRamdisk(context, boot);
    if (powered.kind !== 'done') return powered;
  }
  const since = new Date(String(context.step.memo['since']));
  if (boot.arrived(since)) return { kind: 'done' };
  const { deadline, message } = await context.bootProgress(since);
  const waitingFor = { kind: 'agent', text: 'agent to call back' } as const;
  return { kind: 'wait', waitingFor, deadline, overdue: message };
}

/** Safe to run again after a crash in the middle: each part brings about a state. */
async function powerIntoRamdisk(context: StepContext, boot: RamdiskBoot): Promise<WorkOutcome> {
  const prepared = await prepareRamdisk(context, boot.kernelParams);
  if (prepared.kind !== 'done') return prepared;
  await context.remember({ phase: 'powering', since: context.now().toISOString() });
  await context.setPower('rebooting');
  await context.remember({ phase: 'booting' });
  return { kind: 'done' };
}

/** The machine goes off and is offered no ramdisk any more; one that has to stay on starts anew without it. */
export async function leaveRamdisk(context: StepContext): Promise<WorkOutcome> {
  const { disablePowerOff } = context.node;
  if (!disablePowerOff) await context.setPower('power off');
  const cleaned = await cleanUpBoot(context);
  if (cleaned.kind !== 'done') return cleaned;
  if (disablePowerOff) await context.setPower('rebooting');
  return { kind: 'done' };
}
