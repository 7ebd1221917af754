/**
 * Steps that the conductor adds to every node, whatever its driver: the reserved names that operators use in their
 * clean, deploy and service steps, and the work of adopting a node.
 */
import { prepareInstance } from '../domain/boot-work.ts';
import type { StepContext, StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { InterfaceType } from '../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';

export const HOLD_STEP = 'hold';
const MAX_WAIT_SECONDS = 86_400;

type Advance = StepImplementation['advance'];
type Spec = Pick<StepImplementation, 'advance' | 'argsInfo'>;

const power =
  (target: 'power on' | 'power off' | 'rebooting'): Advance =>
  async (context) => {
    await context.setPower(target);
    return { kind: 'done' };
  };

const RESERVED: Readonly<Record<string, Spec>> = {
  [HOLD_STEP]: {
    advance: async ({ step }) =>
      step.memo['released'] === true
        ? { kind: 'done' }
        : { kind: 'hold', waitingFor: { kind: 'operator', text: 'an operator to say "unhold"' } },
  },
  wait: {
    argsInfo: {
      seconds: { description: 'How long. Default: until the next heartbeat of the agent.', required: false },
    },
    advance: waitStep,
  },
  power_on: { advance: power('power on') },
  power_off: { advance: power('power off') },
  reboot: { advance: power('rebooting') },
};

export function isReservedStep(name: string): boolean {
  return Object.hasOwn(RESERVED, name);
}

/** Waits for a number of seconds, or for the next report of the agent. */
async function waitStep(context: StepContext): Promise<StepOutcome> {
  const { seconds } = context.step.args;
  if (
    seconds !== undefined &&
    !(typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_WAIT_SECONDS)
  ) {
    throw new IngotError('invalidParameter', `"seconds" must be a number from 0 to ${MAX_WAIT_SECONDS}`);
  }
  if (context.step.memo['since'] === undefined) {
    await context.remember({ since: context.now().toISOString() });
  }
  const since = Date.parse(String(context.step.memo['since']));
  if (seconds === undefined) {
    if (context.heartbeatSince(new Date(since)) !== undefined) return { kind: 'done' };
    return {
      kind: 'wait',
      waitingFor: { kind: 'agent', text: 'agent to report' },
      deadline: new Date(since + context.limits.longCommandMs),
      overdue: `the agent did not report within ${context.limits.longCommandMs / 1000} s`,
    };
  }
  const until = new Date(since + seconds * 1000);
  if (context.now() >= until) return { kind: 'done' };
  const deadline = new Date(until.getTime() + context.limits.commandMs);
  const waitingFor = { kind: 'time', text: `${seconds} s to pass` } as const;
  return { kind: 'wait', waitingFor, wakeAt: until, deadline, overdue: 'the conductor did not look in time' };
}

/** Does not touch a node that runs its own system: only checks and reads what the conductor must know. */
const ADOPTED: readonly InterfaceType[] = ['power', 'management', 'network', 'storage'];

async function takeOver(context: StepContext): Promise<StepOutcome> {
  const { hardware, node, ports } = context;
  for (const type of ADOPTED) hardware.all[type].validate(node, ports);
  const prepared = await prepareInstance(context, { isRunning: true });
  if (prepared.kind !== 'done') return prepared;
  await context.updateNode({ powerState: await hardware.power.getPowerState(context) });
  return { kind: 'done' };
}

const TAKE_OVER: StepImplementation = {
  operation: 'adopt',
  step: 'take_over',
  priority: 100,
  abortable: false,
  onRestart: 'rerun',
  advance: takeOver,
};

const reserved = (operation: OperationKind, step: string, spec: Spec): StepImplementation => ({
  operation,
  step,
  priority: 0,
  abortable: true,
  onRestart: 'resume',
  ...spec,
});

/** They belong to the deploy interface. */
export function conductorSteps(kind: OperationKind): StepImplementation[] {
  if (kind === TAKE_OVER.operation) return [TAKE_OVER];
  // Operators may name steps only for operations with an agent extension.
  if (OPERATIONS[kind].agentExtension === undefined) return [];
  return Object.entries(RESERVED).map(([name, spec]) => reserved(kind, name, spec));
}

export function conductorStep(kind: OperationKind, name: string): StepImplementation | undefined {
  return conductorSteps(kind).find((step) => step.step === name);
}
