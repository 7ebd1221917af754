/**
 * Answers of the agent, parsed: it is a peer on the network and may say anything.
 */
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import { INTERFACE_TYPES, type InterfaceType } from '../domain/node.ts';
import type { Step } from '../domain/steps.ts';

export type StepExtension = 'clean' | 'deploy' | 'service';

/**
 * `{"clean_steps": {"Manager": [{step, priority, interface, abortable, ...}]}, "hardware_manager_version": {...}}`.
 * The same step from two managers counts once, with the higher priority.
 */
export function parseGetSteps(
  extension: StepExtension,
  result: Json,
): { steps: Step[]; version: JsonObject } {
  const key = `${extension}_steps`;
  if (!isJsonObject(result) || !isJsonObject(result[key])) {
    throw new IngotError('agentFailure', `the agent's answer to get_${key} has no "${key}"`);
  }
  const found = new Map<string, Step>();
  for (const list of Object.values(result[key])) {
    for (const entry of Array.isArray(list) ? list : []) {
      const step = parseStep(entry as Json);
      const name = step && `${step.interface}.${step.step}`;
      if (step && name && (found.get(name)?.priority ?? -1) < step.priority) found.set(name, step);
    }
  }
  const version = result['hardware_manager_version'];
  return { steps: [...found.values()], version: isJsonObject(version) ? version : {} };
}

function parseStep(entry: Json): Step | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { step, interface: on = 'deploy', priority, abortable } = entry;
  const known = typeof on === 'string' && (INTERFACE_TYPES as readonly string[]).includes(on);
  if (typeof step !== 'string' || !known || typeof priority !== 'number') return undefined;
  return {
    interface: on as InterfaceType,
    step,
    args: {},
    priority,
    where: 'agent',
    abortable: abortable === true,
  };
}
