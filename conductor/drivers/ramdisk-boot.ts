/**
 * Booting the deploy ramdisk, as the first part of a step: prepare, power, wait until it is there. And leaving it.
 */
import type { StepContext } from '../domain/drivers.ts';
import type { JsonObject } from '../domain/json.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';

export interface RamdiskBoot {
  /** Kernel arguments beside the usual ones. */
  readonly kernelParams: JsonObject;
  /** Whether what was waited for has come, e.g. the first heartbeat of this boot. */
  readonly arrived: (since: Date) => boolean;
}

/** `done` when the ramdisk has arrived; fails with the step of the boot that did not happen. */
export async function bootRamdisk(context: StepContext, boot: RamdiskBoot): Promise<StepOutcome> {
  if (context.step.memo['phase'] !== 'booting') await powerIntoRamdisk(context, boot);
  const since = new Date(String(context.step.memo['since']));
  if (boot.arrived(since)) return { kind: 'done' };
  const { deadline, message } = await context.bootProgress(since);
  return { kind: 'wait', what: 'agent to call back', deadline, overdue: message };
}

/** Safe to run again after a crash in the middle: each part brings about a state. */
async function powerIntoRamdisk(context: StepContext, boot: RamdiskBoot): Promise<void> {
  const { hardware } = context;
  await context.remember({ phase: 'powering', since: context.now().toISOString() });
  await context.updateNode(hardware.boot.prepareRamdisk(context.node, boot.kernelParams));
  await hardware.management.setBootDevice(context, { device: 'pxe', persistent: false });
  await context.setPower('rebooting');
  await context.remember({ phase: 'booting' });
}

/** The machine goes off and is offered no ramdisk any more; one that has to stay on starts anew without it. */
export async function leaveRamdisk(context: StepContext): Promise<void> {
  const { boot } = context.hardware;
  if (!context.node.disablePowerOff) await context.setPower('power off');
  await context.updateNode(boot.cleanUp(context.node));
  if (context.node.disablePowerOff) await context.setPower('rebooting');
}
