/**
 * Power changes and the records that each one needs.
 *
 * The intent is stored before the BMC gets a command. Every loss of power also ends the agent session, so that its
 * token and address are valid for one boot only.
 */
import type { Hardware, PowerTarget } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node, NodePatch, PowerState } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { kindOf } from '../domain/states.ts';
import { newUuid } from './identifiers.ts';
import { preparePower } from './parent-power.ts';
import type { EngineParts } from './parts.ts';

/** The power state after a target. */
export const POWER_RESULT: Readonly<Record<PowerTarget, Extract<PowerState, 'power on' | 'power off'>>> = {
  'power on': 'power on',
  'power off': 'power off',
  rebooting: 'power on',
  'soft power off': 'power off',
  'soft rebooting': 'power on',
};

export function isPowerTarget(text: string): text is PowerTarget {
  return Object.hasOwn(POWER_RESULT, text);
}

/**
 * Changes the power of the node and returns the stored node. For the current state no command is sent, but the agent
 * session still ends. On failure last_error is set and the error thrown.
 */
export async function changePower(
  deps: EngineParts,
  hardware: Hardware,
  context: NodeContext,
  target: PowerTarget,
  timeoutMs?: number,
): Promise<Node> {
  const { nodes } = deps.store;
  const { uuid } = context.node;
  if (!hardware.power.targets.includes(target)) {
    throw new IngotError(
      'unsupported',
      `Power interface "${hardware.power.name}" of node ${uuid} does not support "${target}".`,
    );
  }
  const result = POWER_RESULT[target];
  refusePowerOff(context.node, target);
  try {
    const current = await hardware.power.getPowerState(context);
    const acts = target === 'rebooting' || target === 'soft rebooting' || current !== result;
    const endsAgent: NodePatch = acts || result === 'power off' ? { agent: null } : {};
    const node = await nodes.update(uuid, { ...endsAgent, targetPowerState: result }, deps.now());
    if (acts) {
      await preparePower(deps, node, target, context.signal, async (other, to, signal) => {
        const relative = { node: other, ports: [], signal, now: deps.now };
        await changePower(deps, deps.hardware.of(other), relative, to);
      });
      if (result === 'power on')
        await deps.store.sightings.add({ kind: 'power on', at: deps.now(), nodeUuid: uuid });
      await hardware.power.setPowerState({ ...context, node }, target, timeoutMs);
    }
    return await nodes.update(uuid, { powerState: result, targetPowerState: null }, deps.now());
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const lastError = `Failed to change power state to '${target}': ${text}`;
    await nodes.update(uuid, { targetPowerState: null, lastError }, deps.now());
    await recordFailure(deps, context.node, lastError);
    throw error;
  }
}

/** In the history. An operation writes its own entry when it fails. */
async function recordFailure(
  { store, settings, now }: EngineParts,
  node: Node,
  event: string,
): Promise<void> {
  if (!['stable', 'failed'].includes(kindOf(node.provisionState))) return;
  await store.history.add({
    uuid: newUuid(),
    nodeUuid: node.uuid,
    createdAt: now(),
    severity: 'ERROR',
    eventType: 'power',
    event,
    conductor: settings.host,
    user: null,
    project: null,
    state: node.provisionState,
    targetProvisionState: null,
    durationSeconds: null,
  });
}

/** Throws conflict for a node that must stay on. */
export function refusePowerOff({ uuid, disablePowerOff }: Node, target: PowerTarget): void {
  if (!disablePowerOff || POWER_RESULT[target] !== 'power off') return;
  throw new IngotError(
    'conflict',
    `Node ${uuid} is not to be powered off: its "disable_power_off" is true. Reboot it instead, or set that to false.`,
  );
}
