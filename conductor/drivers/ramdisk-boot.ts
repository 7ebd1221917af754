/**
 * Boots the deploy ramdisk as the first part of a step: prepares the boot, powers on, and waits for the ramdisk. Also
 * leaves the ramdisk.
 */
import { cleanUpBoot, prepareRamdisk } from '../domain/boot-work.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { JsonObject } from '../domain/json.ts';
import type { WorkOutcome } from '../domain/step-outcome.ts';

export interface RamdiskBoot {
  /** Kernel arguments in addition to the usual ones. */
  readonly kernelParams: JsonObject;
  /** Whether the awaited event has happened, e.g. the first heartbeat of this boot. */
  readonly arrived: (since: Date) => boolean;
}

/** `done` when the ramdisk has arrived. Fails with the first missing step of the boot. */
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

/** Idempotent, so it may run again after a crash. */
async function powerIntoRamdisk(context: StepContext, boot: RamdiskBoot): Promise<WorkOutcome> {
  const prepared = await prepareRamdisk(context, boot.kernelParams);
  if (prepared.kind !== 'done') return prepared;
  await context.remember({ phase: 'powering', since: context.now().toISOString() });
  await context.setPower('rebooting');
  await context.remember({ phase: 'booting' });
  return { kind: 'done' };
}

/**
 * Removes the ramdisk from the boot configuration and powers off. A machine that must stay on is restarted instead.
 */
export async function leaveRamdisk(context: StepContext): Promise<WorkOutcome> {
  const { disablePowerOff } = context.node;
  if (!disablePowerOff) await context.setPower('power off');
  const cleaned = await cleanUpBoot(context);
  if (cleaned.kind !== 'done') return cleaned;
  if (disablePowerOff) await context.setPower('rebooting');
  return { kind: 'done' };
}
