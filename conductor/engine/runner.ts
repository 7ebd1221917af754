/**
 * The operation runner: reads the stored operation of a node and does the next action.
 *
 * It is level-triggered: verbs, heartbeats, sightings, timers and restarts all just call `advance`. next-action.ts
 * decides the next action, step-result.ts the effect of a step's result, and the runner performs both. The cursor,
 * the step's state and its memo are stored before any effect, so a conductor that is killed at any point continues
 * here after its next start.
 */
import type { StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { Operation } from '../domain/operations.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { StepRecord } from '../domain/steps.ts';
import { listAll } from '../domain/store/page.ts';
import { applyChange, type Change } from './change.ts';
import { runOnChildren } from './child-steps.ts';
import { findStep } from './hardware.ts';
import { nextAction } from './next-action.ts';
import { failOperation, finishOperation } from './operation-completion.ts';
import type { EngineParts } from './parts.ts';
import { createStepContext } from './step-context.ts';
import { resultOf, type StepResult } from './step-result.ts';

/** The implementation of every step whose `where` is `agent`. */
const AGENT_STEP: Pick<StepImplementation, 'advance'> = {
  advance: (context) => context.agent.executeStep(() => context.step.args),
};

export interface Runner {
  /** Locks the node and works until its operation waits or ends. Resolves with the time of the next call. */
  advance(nodeUuid: string): Promise<Date | undefined>;
}

/** An operation and its node, read together. */
interface Look {
  readonly operation: Operation;
  readonly node: Node;
  readonly signal: AbortSignal;
}

type LookAgain = StepResult['lookAgain'];

export function createRunner(parts: EngineParts): Runner {
  const { store, locks, logger, settings } = parts;

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
      const lookAgain = await oneLook({ operation, node, signal });
      if (lookAgain !== 'now') return lookAgain === 'never' ? undefined : lookAgain;
    }
  }

  async function oneLook(look: Look): Promise<LookAgain> {
    const { operation, node, signal } = look;
    try {
      return await perform(look);
    } catch (error) {
      // A shutdown is not a failure: the stored step continues at the next start.
      if (signal.aborted && signal.reason instanceof IngotError && signal.reason.code === 'interrupted')
        throw error;
      const step = operation.steps[operation.cursor];
      await failOperation(parts, parts.hardware.of(node), { operation, node, step, error });
      return 'now';
    }
  }

  async function perform({ operation, node, signal }: Look): Promise<LookAgain> {
    const action = nextAction(operation, node, parts.now());
    switch (action.kind) {
      case 'fail':
        throw action.error;
      case 'finish':
        await finishOperation(parts, operation, node);
        return 'now';
      case 'run': {
        const { step, begins } = action;
        const begun = await storeChange({ operation, node, signal }, begins);
        if (begins !== undefined) tell({ operation, node, signal }, step, 'step begins');
        return runStep({ operation, node: begun, signal }, step);
      }
    }
  }

  async function runStep(look: Look, step: StepRecord): Promise<LookAgain> {
    const { operation, signal } = look;
    const { node, outcome } = await advanceStep(look, step);
    signal.throwIfAborted();
    const { change, lookAgain } = resultOf({ operation, step, node }, outcome, parts.now());
    await storeChange({ ...look, node }, change);
    if (outcome.kind === 'done') tell(look, step, 'step done');
    else if (change !== undefined) {
      const level = outcome.kind === 'hold' ? 'info' : 'debug';
      tell(look, step, `waiting for ${outcome.waitingFor.text}`, level);
    }
    return lookAgain;
  }

  /** Calls the step once. Returns the node with the step's changes. */
  async function advanceStep(look: Look, step: StepRecord): Promise<{ node: Node; outcome: StepOutcome }> {
    const { operation, node, signal } = look;
    const hardware = parts.hardware.of(node);
    const ports = await listAll(store.ports, { nodeUuid: node.uuid });
    const implementation = step.where === 'agent' ? AGENT_STEP : findStep(hardware, operation.kind, step);
    if (implementation === undefined && step.onChildren === undefined) {
      throw new IngotError('unsupported', `no interface of driver "${node.driver}" has this step`);
    }
    const input = { deps: parts, hardware, operation, step, node, ports, signal };
    const context = createStepContext(input);
    const outcome =
      implementation === undefined || step.onChildren !== undefined
        ? await runOnChildren(parts, input, context)
        : await implementation.advance(context);
    return { node: context.node, outcome };
  }

  async function storeChange({ operation, node }: Look, change: Change | undefined): Promise<Node> {
    if (change === undefined) return node;
    return store.transaction((tx) => applyChange(tx, operation, node, change, parts.now()));
  }

  function tell(
    { operation, node }: Look,
    { interface: on, step }: StepRecord,
    what: string,
    level: 'info' | 'debug' = 'info',
  ): void {
    logger[level]({ node: node.uuid, operation: operation.kind, interface: on, step }, what);
  }
}
