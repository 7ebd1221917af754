/**
 * Provision verbs: checks whether the verb is allowed, stores the operation, and wakes the runner.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node, NodePatch } from '../domain/node.ts';
import { operationEntering } from '../domain/operations/table.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import { listAll } from '../domain/store/page.ts';
import { stateAfter } from '../domain/verbs.ts';
import type { ProvisionRequest } from './engine.ts';
import type { EngineParts } from './parts.ts';
import { illegalMove, move } from './state-move.ts';
import { planSteps, type StepPlan } from './step-plan.ts';
import { argumentsOf, beginning, instanceChanges, moving, refuseVerb } from './verb-rules.ts';

export interface Provisioning {
  /** Accepts the verb or throws. The runner does the work. */
  provision(nodeUuid: string, request: ProvisionRequest): Promise<void>;
}

export function createProvisioning(
  deps: EngineParts & { readonly wake: (nodeUuid: string) => void },
): Provisioning {
  const { store, locks, settings } = deps;

  return {
    async provision(nodeUuid, request) {
      const hold = {
        purpose: `provision ${request.verb}`,
        deadlineMs: 60_000,
        queueMs: settings.lockQueueMs,
      };
      await locks.hold(nodeUuid, hold, async () => {
        await accept(await store.nodes.get(nodeUuid), request);
      });
      deps.wake(nodeUuid);
    },
  };

  async function accept(node: Node, request: ProvisionRequest): Promise<void> {
    const to = stateAfter(node.provisionState, request.verb);
    if (to === undefined) throw illegalMove(node, request.verb);
    if (request.verb === 'abort') return abort(node);
    if (request.verb === 'unhold') return unhold(node);
    const kind = operationEntering(to);
    if (kind === undefined) return moveOnly(node, request);

    const hardware = deps.hardware.of(node);
    refuseVerb(node, request.verb);
    const changes = instanceChanges(node, request, deps.configDrives);
    const asked = { ...node, ...changes };
    const { steps, args } = await planSteps(deps, hardware, asked, request, kind);
    await validate(hardware, asked, kind);
    const operation = { kind, steps, args: { ...args, ...argumentsOf(node, request) } };
    await begin(node, request, operation, changes);
  }

  async function moveOnly(node: Node, { verb }: ProvisionRequest): Promise<void> {
    const now = deps.now();
    await store.nodes.update(node.uuid, moving(node, verb, now), now);
  }

  /** The runner ends the operation at the next safe point; in a wait for the ramdisk that is at once. */
  async function abort(node: Node): Promise<void> {
    const operation = await store.operations.current(node.uuid);
    if (operation === undefined) {
      await store.nodes.update(node.uuid, move(node, 'abort', deps.now()), deps.now());
      return;
    }
    await store.operations.update(operation.id, { abortRequested: true });
  }

  /** Ends the step on hold; the runner continues the operation from the wait state. */
  async function unhold(node: Node): Promise<void> {
    const now = deps.now();
    const operation = await store.operations.current(node.uuid);
    await store.transaction(async (tx) => {
      if (operation !== undefined)
        await tx.operations.updateStep(operation.id, operation.cursor, { memo: { released: true } });
      await tx.nodes.update(node.uuid, move(node, 'unhold', now), now);
    });
  }

  async function validate(hardware: Hardware, node: Node, kind: OperationKind): Promise<void> {
    const ports = await listAll(store.ports, { nodeUuid: node.uuid });
    for (const type of OPERATIONS[kind].validates) {
      try {
        hardware.all[type].validate(node, ports);
      } catch (error) {
        if (!(error instanceof IngotError)) throw error;
        throw new IngotError(
          error.code,
          `Failed to validate ${type} interface of node ${node.uuid}: ${error.message}`,
          { cause: error },
        );
      }
    }
  }

  async function begin(
    node: Node,
    request: ProvisionRequest,
    operation: StepPlan & { readonly kind: OperationKind },
    changes: NodePatch,
  ): Promise<void> {
    const now = deps.now();
    const { kind, steps, args } = operation;
    await store.transaction(async (tx) => {
      const running = await tx.operations.current(node.uuid);
      // `deleted` may come while a deployment waits: it ends that operation.
      if (running) {
        await tx.operations.update(running.id, {
          state: 'aborted',
          error: `ended by ${request.verb}`,
          finishedAt: now,
        });
      }
      await tx.operations.create({ nodeUuid: node.uuid, kind, args, steps }, now);
      await tx.nodes.update(node.uuid, { ...beginning(node, request.verb, kind, now), ...changes }, now);
    });
    deps.logger.info(
      { node: node.uuid, verb: request.verb, operation: kind, steps: steps.length },
      'operation accepted',
    );
  }
}
