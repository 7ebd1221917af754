/**
 * Steps: what they are, in which order they run, and how user steps merge with automatic ones.
 *
 * Automatic steps run from high priority to low; priority 0 never runs automatically. Steps with OPENING_PRIORITY or
 * more begin an operation (boot the ramdisk) and steps with a negative priority end it (power off the node); they are
 * also added to manual cleaning and service. Equal priorities run in the order of INTERFACE_ORDER. A user step
 * replaces the automatic one with the same interface and name; priority 0 removes it.
 */
import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import type { InterfaceType } from './interface-types.ts';
import type { JsonObject } from './json.ts';

export interface Step {
  readonly interface: InterfaceType;
  readonly step: string;
  readonly args: JsonObject;
  readonly priority: number;
  /** Runs in the ramdisk by an agent command, or in the conductor by a driver. */
  readonly where: 'conductor' | 'agent';
  /** The verb abort may interrupt it. */
  readonly abortable: boolean;
  /** It runs on child nodes instead of the node itself: on all children, or on these. */
  readonly onChildren?: true | readonly string[];
}

export type StepState = 'pending' | 'running' | 'done' | 'failed';

/** Progress of a running step, as the agent reports it and as operators see it. */
export type StepProgress = CommandProgress;

/** A step of an operation as it is stored. */
export interface StepRecord extends Step {
  readonly index: number;
  readonly state: StepState;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly progress: StepProgress | null;
  /** What the step stored before each effect, so that it can continue after a crash. */
  readonly memo: JsonObject;
}

/** Order of steps with equal priority, as in Ironic's conductor/steps.py: vendor first. */
const INTERFACE_ORDER: Partial<Record<InterfaceType, number>> = {
  vendor: 7,
  power: 6,
  management: 5,
  firmware: 4,
  deploy: 3,
  bios: 2,
  raid: 1,
};

export function byPriority(a: Step, b: Step): number {
  return b.priority - a.priority || (INTERFACE_ORDER[b.interface] ?? 0) - (INTERFACE_ORDER[a.interface] ?? 0);
}

type StepName = Pick<Step, 'interface' | 'step'>;

export const sameStep = (a: StepName, b: StepName): boolean =>
  a.interface === b.interface && a.step === b.step;

export const nameOf = (step: StepName): string => `${step.interface}.${step.step}`;

export const OPENING_PRIORITY = 1_000;

export const opens = (step: Step): boolean => step.priority >= OPENING_PRIORITY;
export const closes = (step: Step): boolean => step.priority < 0;

/** `base` and `over` together; steps of `over` replace those with the same interface and name. */
export function overrideSteps(base: readonly Step[], over: readonly Step[]): Step[] {
  return [...base.filter((step) => !over.some((other) => sameStep(step, other))), ...over];
}

/** Automatic steps with the operator's steps merged in, without those of priority 0, in running order. */
export function mergeSteps(automatic: readonly Step[], chosen: readonly Step[]): Step[] {
  return overrideSteps(automatic, chosen)
    .filter((step) => step.priority !== 0)
    .sort(byPriority);
}

/**
 * In-band steps become known with the first heartbeat, while the operation runs. Merges them with the steps that are
 * still to be done. Done steps are never repeated, and steps in `disabled` (interface.step) are left out.
 */
export function mergeInBand(
  finished: readonly Step[],
  remaining: readonly Step[],
  inBand: readonly Step[],
  disabled: readonly string[] = [],
): Step[] {
  const fresh = inBand.filter(
    (step) =>
      step.priority !== 0 &&
      !disabled.includes(nameOf(step)) &&
      !finished.some((other) => sameStep(step, other)) &&
      !remaining.some((other) => sameStep(step, other)),
  );
  return [...remaining, ...fresh].sort(byPriority);
}
