/**
 * A step of a parent that runs on its children instead (`execute_on_child_nodes`, API 1.83): one child after the
 * other, each under its own lock, with the child's own driver.
 */
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import { nameOf } from '../domain/steps.ts';
import { listAll } from '../domain/store/page.ts';
import { childrenOf } from './child-nodes.ts';
import { findStep } from './hardware.ts';
import type { EngineParts } from './parts.ts';
import { createStepContext, type StepContextInput } from './step-context.ts';

const STEP_MS = 3_600_000;

/**
 * Continues with the remaining children after a restart. Throws when a child does not have the step or the step
 * waits.
 */
export async function runOnChildren(
  deps: EngineParts,
  input: StepContextInput,
  parent: StepContext,
): Promise<StepOutcome> {
  const { step, operation } = input;
  const done = new Set(Array.isArray(step.memo['done']) ? step.memo['done'] : []);
  const wanted = step.onChildren === true ? undefined : step.onChildren;
  const children = await childrenOf(deps.store.nodes, parent.node.uuid);
  const missing = wanted?.filter((uuid) => !children.some((child) => child.uuid === uuid)) ?? [];
  if (missing.length > 0) {
    throw new IngotError('invalidParameter', `${missing.join(', ')} is no child of node ${parent.node.uuid}`);
  }
  for (const { uuid } of children.filter((child) => wanted?.includes(child.uuid) ?? true)) {
    if (done.has(uuid)) continue;
    parent.signal.throwIfAborted();
    const hold = {
      purpose: `${nameOf(step)} for node ${parent.node.uuid}`,
      deadlineMs: STEP_MS,
      queueMs: deps.settings.lockQueueMs,
    };
    await deps.locks.hold(uuid, hold, async (own) => {
      const child = await deps.store.nodes.find(uuid);
      if (child !== undefined) await runOn(child, AbortSignal.any([own, parent.signal]));
    });
    done.add(uuid);
    await parent.remember({ done: [...done] });
  }
  return { kind: 'done' };

  async function runOn(child: Node, signal: AbortSignal): Promise<void> {
    const hardware = deps.hardware.of(child);
    const implementation = findStep(hardware, operation.kind, step);
    if (implementation === undefined) {
      throw new IngotError('unsupported', `no interface of child node ${child.uuid} has this step`);
    }
    const ports = await listAll(deps.store.ports, { nodeUuid: child.uuid });
    const own = { ...step, memo: {} };
    const context = createStepContext({
      ...input,
      step: own,
      hardware,
      node: child,
      ports,
      signal,
      lent: true,
    });
    const outcome = await implementation.advance(context);
    if (outcome.kind === 'done') return;
    throw new IngotError(
      'unsupported',
      `on child node ${child.uuid} it waits for ${outcome.waitingFor.text}, which only a step of the node itself can`,
    );
  }
}
