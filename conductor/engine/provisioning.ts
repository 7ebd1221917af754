/**
 * Provision verbs: checks what may be asked now, stores the operation, and lets the runner go on.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { InterfaceType, Node, NodePatch } from '../domain/node.ts';
import { type OperationKind, operationEntering } from '../domain/operations.ts';
import type { ProvisionState } from '../domain/states.ts';
import { listAll } from '../domain/store/page.ts';
import { stateAfter, VERBS, type Verb } from '../domain/verbs.ts';
import type { ProvisionRequest } from './engine.ts';
import type { EngineParts } from './parts.ts';
import { illegalMove, move } from './state-move.ts';
import { planSteps, type StepPlan } from './step-plan.ts';

/** Interfaces that must validate before an operation may start. */
const MUST_VALIDATE: Partial<Record<OperationKind, readonly InterfaceType[]>> = {
  verify: ['power'],
  inspect: ['power', 'inspect', 'boot'],
  clean: ['power', 'boot', 'network'],
  deploy: ['power', 'deploy', 'boot', 'network', 'storage'],
  delete: ['power'],
  rescue: ['power', 'rescue', 'boot', 'network'],
  unrescue: ['power', 'rescue', 'network'],
  service: ['power', 'network'],
};

/** Refused while the node is in maintenance; the others, `provide` too, are what brings a node back to order. */
const NOT_IN_MAINTENANCE: readonly Verb[] = [
  'active',
  'deploy',
  'rebuild',
  'rescue',
  'unrescue',
  'clean',
  'service',
];

export interface Provisioning {
  /** Accepts the verb or throws; the work itself is the runner's. */
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
        const node = await store.nodes.get(nodeUuid);
        await accept(node, request);
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
    if (kind === undefined) return moveOnly(node, request, to);

    const hardware = deps.hardware.of(node);
    refuse(node, request);
    const changes = instanceChanges(node, request, kind);
    const asked = { ...node, ...changes };
    const { steps, args } = await planSteps(deps, hardware, asked, request, kind);
    await validate(hardware, asked, kind);
    await begin(
      node,
      request,
      { kind, steps, args: { ...args, ...secretArgs(node, request), ...requester(request) } },
      changes,
    );
  }

  /** The verb only moves the node: `manage` from a failed or available state. */
  async function moveOnly(node: Node, request: ProvisionRequest, to: ProvisionState): Promise<void> {
    const now = deps.now();
    const failed = to === 'manageable' ? { lastError: null } : {};
    await store.nodes.update(node.uuid, { ...move(node, VERBS[request.verb].event, now), ...failed }, now);
  }

  /** The runner ends the operation at the next safe point; in a wait for the ramdisk that is now. */
  async function abort(node: Node): Promise<void> {
    const operation = await store.operations.current(node.uuid);
    if (operation === undefined) {
      await store.nodes.update(node.uuid, move(node, 'abort', deps.now()), deps.now());
      return;
    }
    await store.operations.update(operation.id, { abortRequested: true });
  }

  /** The step on hold ends; the runner takes the operation on from the wait state. */
  async function unhold(node: Node): Promise<void> {
    const now = deps.now();
    const operation = await store.operations.current(node.uuid);
    await store.transaction(async (tx) => {
      if (operation !== undefined)
        await tx.operations.updateStep(operation.id, operation.cursor, { memo: { released: true } });
      await tx.nodes.update(node.uuid, move(node, 'unhold', now), now);
    });
  }

  function refuse(node: Node, request: ProvisionRequest): void {
    if (node.maintenance && NOT_IN_MAINTENANCE.includes(request.verb)) {
      throw new IngotError(
        'invalidState',
        `The ${request.verb} operation can't be performed on node ${node.uuid} because it's in maintenance mode${node.maintenanceReason ? ` (${node.maintenanceReason})` : ''}. Leave maintenance first.`,
      );
    }
    if (node.retired && request.verb === 'provide') {
      throw new IngotError(
        'invalidState',
        `Node ${node.uuid} is retired and can not be made available. Unset "retired" first.`,
      );
    }
    const ends = request.verb === 'deleted' || request.verb === 'undeploy' || request.verb === 'rebuild';
    if (node.protected && ends) {
      throw new IngotError(
        'forbidden',
        `Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted.`,
      );
    }
  }

  /** A config drive in the request replaces the stored one; a rebuild without one drops it. */
  function instanceChanges(node: Node, request: ProvisionRequest, kind: OperationKind): NodePatch {
    if (kind !== 'deploy') return {};
    if (request.configdrive !== undefined && request.configdrive !== null) {
      deps.configDrives.validate(request.configdrive);
      return { instanceInfo: { ...node.instanceInfo, configdrive: request.configdrive } };
    }
    const { configdrive: stored, ...rest } = node.instanceInfo;
    if (VERBS[request.verb].event === 'rebuild') return { instanceInfo: rest };
    if (stored != null) deps.configDrives.validate(stored);
    return {};
  }

  function requester({ by }: ProvisionRequest): JsonObject {
    return by === undefined ? {} : { requestedBy: { ...by } };
  }

  function secretArgs(node: Node, { verb, rescuePassword }: ProvisionRequest): JsonObject {
    if (verb !== 'rescue') return {};
    if (rescuePassword !== undefined && rescuePassword.trim() !== '') return { rescuePassword };
    throw new IngotError(
      'missingParameter',
      `Rescue of node ${node.uuid} needs a non-blank rescue_password.`,
    );
  }

  async function validate(hardware: Hardware, node: Node, kind: OperationKind): Promise<void> {
    const ports = await listAll(store.ports, { nodeUuid: node.uuid });
    for (const type of MUST_VALIDATE[kind] ?? []) {
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
      // `deleted` may come in the middle of a deploy's wait: the old operation ends here.
      if (running) {
        await tx.operations.update(running.id, {
          state: 'aborted',
          error: `ended by ${request.verb}`,
          finishedAt: now,
        });
      }
      await tx.operations.create({ nodeUuid: node.uuid, kind, args, steps }, now);
      await tx.nodes.update(
        node.uuid,
        {
          ...move(node, VERBS[request.verb].event, now, request.verb === 'clean' ? 'manageable' : undefined),
          ...changes,
          ...(kind === 'inspect' ? { inspectionStartedAt: now, inspectionFinishedAt: null } : {}),
          lastError: null,
        },
        now,
      );
    });
    deps.logger.info(
      { node: node.uuid, verb: request.verb, operation: kind, steps: steps.length },
      'operation accepted',
    );
  }
}
