/**
 * What a step can read and do: the locked node, its memo, power, the agent.
 */
import type { BootSighting } from '../domain/boot.ts';
import { judgeBoot } from '../domain/boot-progress.ts';
import type { Hardware, StepContext } from '../domain/drivers.ts';
import { parseInstanceInfo } from '../domain/instance-info.ts';
import type { Node, Port } from '../domain/node.ts';
import type { Operation } from '../domain/operations.ts';
import type { StepRecord } from '../domain/steps.ts';
import type { EngineParts } from './parts.ts';
import { changePower } from './power.ts';

export interface StepContextInput {
  readonly deps: EngineParts;
  readonly hardware: Hardware;
  readonly operation: Operation;
  readonly step: StepRecord;
  readonly node: Node;
  readonly ports: readonly Port[];
  readonly signal: AbortSignal;
  /** The step runs for the operation of another node, so nothing is stored in an operation of this node. */
  readonly lent?: true;
}

export function createStepContext(input: StepContextInput): StepContext {
  const { deps, hardware, operation, ports, signal } = input;
  const { store, settings } = deps;
  let { node, step } = input;

  const refresh = async (): Promise<Node> => {
    node = (await store.nodes.find(node.uuid)) ?? node;
    return node;
  };

  const context: StepContext = {
    get node() {
      return node;
    },
    get step() {
      return step;
    },
    get instance() {
      return parseInstanceInfo(node.instanceInfo);
    },
    ports,
    signal,
    hardware,
    operation,
    now: deps.now,
    async remember(memo) {
      signal.throwIfAborted();
      step = { ...step, memo: { ...step.memo, ...memo } };
      if (!input.lent) await store.operations.updateStep(operation.id, step.index, { memo: step.memo });
    },
    async progress(progress) {
      step = { ...step, progress };
      if (!input.lent) await store.operations.updateStep(operation.id, step.index, { progress });
    },
    async updateNode(patch) {
      signal.throwIfAborted();
      node = await store.nodes.update(node.uuid, patch, deps.now());
    },
    async setPower(target) {
      signal.throwIfAborted();
      node = await changePower(
        deps,
        hardware,
        { node: await refresh(), ports, signal, now: deps.now },
        target,
      );
    },
    heartbeatSince(since) {
      const at = node.agent?.lastHeartbeatAt ?? undefined;
      return at !== undefined && at >= since ? at : undefined;
    },
    async bootProgress(since) {
      const seen: readonly BootSighting[] = await store.sightings.forNode(node.uuid, since);
      return judgeBoot(seen, since, deps.now(), {
        scale: settings.bootLimitScale,
        overallLimitMs: settings.bootTimeoutMs,
      });
    },
    get agent() {
      return deps.agents.forStep(context);
    },
    limits: { commandMs: settings.commandTimeoutMs, longCommandMs: settings.longCommandTimeoutMs },
    images: deps.images,
    configDrives: deps.configDrives,
    services: deps.services,
  };
  return context;
}
