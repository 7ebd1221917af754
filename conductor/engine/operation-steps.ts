/**
 * The steps an operation begins with; in-band ones join after the first heartbeat.
 */
import type { Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { INTERFACE_TYPES, type InterfaceType, type Node } from '../domain/node.ts';
import type { OperationKind } from '../domain/operations.ts';
import { mergeSteps, type Step } from '../domain/steps.ts';
import type { EngineSettings } from './deps.ts';
import { findStep, stepsOffered } from './hardware.ts';

/** Automatic steps of `kind` with the operator's merged in. Cleaning that is switched off has none. */
export function operationSteps(
  hardware: Hardware,
  node: Node,
  kind: OperationKind,
  settings: Pick<EngineSettings, 'automatedClean'>,
  chosen: readonly Step[] = [],
): Step[] {
  const off = kind === 'clean' && !(node.automatedClean ?? settings.automatedClean);
  return off ? [] : mergeSteps(stepsOffered(hardware, kind), chosen);
}

/** Manual cleaning: between the steps that open and close every cleaning, the operator's in the order given. */
export function manualCleanSteps(hardware: Hardware, chosen: readonly Step[]): Step[] {
  const automatic = mergeSteps(stepsOffered(hardware, 'clean'), []);
  const frame = (first: boolean) =>
    automatic.filter((step) => (first ? step.priority > 0 : step.priority < 0));
  return [...frame(true), ...chosen, ...frame(false)];
}

/** The steps of a request body. Throws invalidParameter naming the entry. */
export function parseSteps(
  field: 'clean_steps' | 'deploy_steps' | 'service_steps',
  entries: readonly JsonObject[],
  hardware: Hardware,
  kind: OperationKind,
): Step[] {
  return entries.map((entry, index) => {
    const { interface: on, step, args = {}, priority = kind === 'clean' ? 1 : undefined } = entry;
    const fail = (what: string): never => {
      throw new IngotError('invalidParameter', `${field}[${index}]: ${what}`);
    };
    if (typeof on !== 'string' || !(INTERFACE_TYPES as readonly string[]).includes(on)) {
      return fail(`"interface" must be one of ${INTERFACE_TYPES.join(', ')}`);
    }
    if (typeof step !== 'string' || step === '') return fail('"step" must name a step');
    if (!isJsonObject(args)) return fail('"args" must be an object');
    if (typeof priority !== 'number' || !Number.isInteger(priority) || priority < 0) {
      return fail('"priority" must be a whole number, 0 or more');
    }
    const known = findStep(hardware, kind, { interface: on as InterfaceType, step });
    return {
      interface: on as InterfaceType,
      step,
      args,
      priority,
      where: known === undefined ? 'agent' : 'conductor',
      abortable: known?.abortable ?? false,
    };
  });
}
