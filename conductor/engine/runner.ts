/**
 * The operation runner: looks at what is stored of a node's operation and does the next thing.
 *
 * It is level-triggered: verbs, heartbeats, sightings, timers and restarts all just call
 * `advance`. The cursor, the step's state and its memo are stored before any effect, so a
 * conductor killed at any instruction goes on here after its next start.
 */
import type { Hardware, StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import { OPERATIONS, type Operation } from '../domain/operations.ts';
import { kindOf, nextState } from '../domain/states.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import { mergeInBand, nameOf, type Step, type StepRecord, sameStep } from '../domain/steps.ts';
import { listAll } from '../domain/store/page.ts';
import { runOnChildren } from './child-steps.ts';
import { HOLD_STEP } from './conductor-steps.ts';
import { findStep } from './hardware.ts';
import { failOperation, finishOperation } from './operation-completion.ts';
import type { EngineParts } from './parts.ts';
import { move } from './state-move.ts';
import { createStepContext } from './step-context.ts';

/** Behind every step whose `where` is `agent`. */
const AGENT_STEP: Pick<StepImplementation, 'advance'> = {
  advance: (context) => context.agent.executeStep(() => context.step.args),
};

export interface Runner {
  /** Takes the node and works until its operation waits or ends. Resolves with the time to look again. */
  advance(nodeUuid: string): Promise<Date | undefined>;
}

export function createRunner(deps: EngineParts): Runner {
  const { store, locks, settings } = deps;

  return {
    async advance(nodeUuid) {
      if ((await store.operations.current(nodeUuid)) === undefined) return undefined;
      const hold = {
        purpose: 'provisioning',
        deadlineMs: settings.holdDeadlineMs,
        queueMs: Number.POSITIVE_INFINITY,
      };
      return locks.hold(nodeUuid, hold, (signal) => work(nodeUuid, signal));
    },
  };

  async function work(nodeUuid: string, signal: AbortSignal): Promise<Date | undefined> {
    for (;;) {
      const [operation, node] = await Promise.all([
        store.operations.current(nodeUuid),
        store.nodes.find(nodeUuid),
      ]);
      if (operation === undefined || node === undefined) return undefined;
      const wakeAt = await oneStep(operation, node, signal);
      if (wakeAt !== 'again') return wakeAt;
    }
  }

  /** Does what the operation needs next; answers when to look again, or that there is more to do now. */
  async function oneStep(
    operation: Operation,
    node: Node,
    signal: AbortSignal,
  ): Promise<Date | 'again' | undefined> {
    const hardware = deps.hardware.of(node);
    const step = operation.steps[operation.cursor];
    try {
      if (operation.error !== null) throw new IngotError('interrupted', operation.error);
      refuseOverlong(operation);
      if (step === undefined) {
        await finishOperation(deps, operation, node);
        return 'again';
      }
      refuseAborted(operation, step);
      return await runStep(operation, step, node, hardware, signal);
    } catch (error) {
      // A shutdown is no failure: what was stored goes on at the next start.
      if (signal.aborted && signal.reason instanceof IngotError && signal.reason.code === 'interrupted')
        throw error;
      await failOperation(deps, hardware, { operation, node, step, error });
      return 'again';
    }
  }

  async function runStep(
    operation: Operation,
    pending: StepRecord,
    before: Node,
    hardware: Hardware,
    signal: AbortSignal,
  ): Promise<Date | 'again' | undefined> {
    const { step, node } = await begin(operation, pending, before);
    const ports = await listAll(store.ports, { nodeUuid: node.uuid });
    const implementation = step.where === 'agent' ? AGENT_STEP : findStep(hardware, operation.kind, step);
    if (implementation === undefined && step.onChildren === undefined) {
      throw new IngotError('unsupported', `no interface of driver "${node.driver}" has this step`);
    }
    const input = { deps, hardware, operation, step, node, ports, signal };
    const context = createStepContext(input);
    const outcome =
      implementation === undefined || step.onChildren !== undefined
        ? await runOnChildren(deps, input, context)
        : await implementation.advance(context);
    signal.throwIfAborted();
    switch (outcome.kind) {
      case 'done':
        return endStep(operation, step, context.node, outcome);
      case 'wait':
        return wait(operation, step, context.node, outcome);
      case 'hold':
        return holdStill(operation, context.node, outcome.what);
    }
  }

  async function begin(
    operation: Operation,
    step: StepRecord,
    node: Node,
  ): Promise<{ step: StepRecord; node: Node }> {
    if (step.state === 'running') return { step, node };
    const startedAt = deps.now();
    deps.logger.info(
      { node: node.uuid, operation: operation.kind, step: step.step, interface: step.interface },
      'step begins',
    );
    return store.transaction(async (tx) => {
      await tx.operations.updateStep(operation.id, step.index, { state: 'running', startedAt });
      const { interface: on, step: name, args, priority, where, abortable } = step;
      const currentStep = { interface: on, step: name, args, priority, where, abortable };
      return {
        step: { ...step, state: 'running', startedAt },
        node: await tx.nodes.update(node.uuid, { currentStep, ...working(node) }, startedAt),
      };
    });
  }

  /** Back from the wait state, if it is in one. */
  function working(node: Node) {
    return kindOf(node.provisionState) === 'wait' ? move(node, 'resume', deps.now()) : {};
  }

  async function endStep(
    operation: Operation,
    step: StepRecord,
    node: Node,
    outcome: Extract<StepOutcome, { kind: 'done' }>,
  ): Promise<'again'> {
    const now = deps.now();
    await store.transaction(async (tx) => {
      await tx.operations.updateStep(operation.id, step.index, { state: 'done', finishedAt: now });
      await tx.operations.update(operation.id, {
        state: 'running',
        cursor: operation.cursor + 1,
        waitingFor: null,
        deadline: null,
        wakeAt: null,
      });
      if (outcome.insert !== undefined) {
        const steps = remainingSteps(operation, outcome.insert);
        await tx.operations.replaceSteps(operation.id, operation.cursor + 1, steps);
      }
      const back = working(node);
      if ('provisionState' in back) await tx.nodes.update(node.uuid, back, now);
    });
    deps.logger.info({ node: node.uuid, operation: operation.kind, step: step.step }, 'step done');
    return 'again';
  }

  /** In-band steps became known: check the operator's against them and merge. */
  function remainingSteps(operation: Operation, inBand: readonly Step[]): Step[] {
    const finished = operation.steps.slice(0, operation.cursor + 1);
    const remaining = operation.steps.slice(operation.cursor + 1);
    const knows = (step: Step) => inBand.some((one) => sameStep(one, step));
    const unknown = remaining.filter((step) => step.where === 'agent' && !knows(step));
    if (unknown.length > 0) {
      throw new IngotError(
        'invalidParameter',
        `neither the driver nor the agent on this node knows the step ${unknown.map(nameOf).join(', ')}`,
      );
    }
    if (operation.args['manual'] === true) return remaining;
    const { disabledSteps: disabled } = operation.args;
    return mergeInBand(finished, remaining, inBand, Array.isArray(disabled) ? disabled : []);
  }

  /** Nothing but a verb moves the node from here. */
  async function holdStill(operation: Operation, node: Node, what: string): Promise<undefined> {
    if (nextState(node.provisionState, 'hold') === undefined) return;
    const now = deps.now();
    await store.transaction(async (tx) => {
      await tx.operations.update(operation.id, {
        state: 'waiting',
        waitingFor: what,
        deadline: null,
        wakeAt: null,
      });
      await tx.nodes.update(node.uuid, move(node, 'hold', now), now);
    });
    deps.logger.info({ node: node.uuid, operation: operation.kind }, `waiting for ${what}`);
  }

  async function wait(
    operation: Operation,
    step: StepRecord,
    node: Node,
    outcome: Extract<StepOutcome, { kind: 'wait' }>,
  ): Promise<Date> {
    const now = deps.now();
    if (now >= outcome.deadline) throw new IngotError('timeout', outcome.overdue);
    const wakeAt = new Date(
      Math.min(outcome.wakeAt?.getTime() ?? Number.POSITIVE_INFINITY, outcome.deadline.getTime()),
    );
    const enters = nextState(node.provisionState, 'wait') !== undefined;
    if (
      enters ||
      operation.state !== 'waiting' ||
      operation.waitingFor !== outcome.what ||
      +(operation.deadline ?? 0) !== +outcome.deadline
    ) {
      await store.transaction(async (tx) => {
        await tx.operations.update(operation.id, {
          state: 'waiting',
          waitingFor: outcome.what,
          deadline: outcome.deadline,
          wakeAt,
        });
        if (enters) await tx.nodes.update(node.uuid, move(node, 'wait', now), now);
      });
      deps.logger.debug(
        { node: node.uuid, step: step.step, until: outcome.deadline },
        `waiting for ${outcome.what}`,
      );
    }
    return wakeAt;
  }

  function refuseOverlong(operation: Operation): void {
    const { maxHours } = OPERATIONS[operation.kind];
    const now = deps.now();
    const held = operation.steps
      .filter((step) => step.step === HOLD_STEP && step.startedAt !== null)
      .reduce((sum, step) => sum + (+(step.finishedAt ?? now) - +(step.startedAt ?? now)), 0);
    if (+now - +operation.startedAt - held > maxHours * 3_600_000) {
      throw new IngotError('timeout', `the whole operation took longer than ${maxHours} h`);
    }
  }

  /** An abort cuts a wait for the ramdisk at once, and a running step only if it allows it. */
  function refuseAborted(operation: Operation, step: StepRecord): void {
    const cuttable =
      step.state !== 'running' || step.abortable || operation.waitingFor?.startsWith('agent') === true;
    if (operation.abortRequested && cuttable) throw new IngotError('aborted', 'aborted by the operator');
  }
}
