/**
 * The first steps of an operation; in-band steps are added after the first heartbeat.
 */
import type { Hardware, StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { INTERFACE_TYPES, type InterfaceType, type Node } from '../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations.ts';
import { closes, mergeSteps, nameOf, opens, type Step } from '../domain/steps.ts';
import { isReservedStep } from './conductor-steps.ts';
import { findStep, stepsOffered } from './hardware.ts';
import type { EngineSettings } from './settings.ts';

/** Automatic steps of `kind`, merged with the operator's. Cleaning that is turned off has no automatic steps. */
export function operationSteps(
  hardware: Hardware,
  node: Node,
  kind: OperationKind,
  settings: Pick<EngineSettings, 'automatedClean'>,
  chosen: readonly Step[] = [],
): Step[] {
  const off = OPERATIONS[kind].isSwitchedOff?.(node, settings) === true;
  return off ? [] : mergeSteps(stepsOffered(hardware, kind), chosen);
}

/**
 * The operator's steps in the given order, between those that open and close every such operation. Without the
 * ramdisk there are no opening steps.
 */
export function framedSteps(
  hardware: Hardware,
  kind: OperationKind,
  chosen: readonly Step[],
  options: { readonly disableRamdisk: boolean },
): Step[] {
  if (options.disableRamdisk) return [...chosen];
  const automatic = mergeSteps(stepsOffered(hardware, kind), []);
  return [...automatic.filter(opens), ...chosen, ...automatic.filter(closes)];
}

/** Throws invalidParameter for steps that only an agent could run, when there will be no agent. */
export function refuseAgentSteps(
  hardware: Hardware,
  kind: OperationKind,
  steps: readonly Step[],
  because: string,
): void {
  const unknown = steps.filter((step) => step.where === 'agent');
  if (unknown.length === 0) return;
  const known = stepsOffered(hardware, kind).map(nameOf).join(', ');
  throw new IngotError(
    'invalidParameter',
    `No interface of this node has the ${kind} step ${unknown.map(nameOf).join(', ')}, and ${because}. There are: ${known}.`,
  );
}

/**
 * Parses steps of operators and deploy templates, `{interface, step, args, priority}`; `field` names the list in
 * errors. Throws invalidParameter naming the entry.
 */
export function parseSteps(
  field: string,
  entries: readonly JsonObject[],
  hardware: Hardware,
  list: StepList,
): Step[] {
  return entries.map((entry, index) => parseStep(`${field}[${index}]`, entry, hardware, list));
}

interface StepList {
  readonly kind: OperationKind;
  /** What decides the order of the steps. */
  readonly order: 'by priority' | 'as given';
}

function parseStep(where: string, entry: JsonObject, hardware: Hardware, { kind, order }: StepList): Step {
  const fail = (what: string): never => {
    throw new IngotError('invalidParameter', `${where}: ${what}`);
  };
  const { step, args = {} } = entry;
  if (typeof step !== 'string' || step === '') return fail('"step" must name a step');
  const on = entry['interface'] ?? (isReservedStep(step) ? 'deploy' : undefined);
  if (typeof on !== 'string' || !(INTERFACE_TYPES as readonly string[]).includes(on)) {
    return fail(`"interface" must be one of ${INTERFACE_TYPES.join(', ')}`);
  }
  if (!isJsonObject(args)) return fail('"args" must be an object');
  const priority = order === 'by priority' ? entry['priority'] : 1;
  if (typeof priority !== 'number' || !Number.isInteger(priority) || priority < 0) {
    return fail('"priority" must be a whole number, 0 or more');
  }
  const name = { interface: on as InterfaceType, step };
  if (entry['execute_on_child_nodes'] === true) {
    const { limit_child_node_execution: only } = entry;
    const onChildren = Array.isArray(only) && only.length > 0 ? only.map(String) : true;
    // Each child's driver must have it, which is checked when its turn comes.
    return { ...name, args, priority, where: 'conductor', abortable: true, onChildren };
  }
  const known = findStep(hardware, kind, name);
  if (priority !== 0) checkArgs(args, known, fail);
  return {
    ...name,
    args,
    priority,
    where: known === undefined ? 'agent' : 'conductor',
    abortable: known?.abortable ?? false,
  };
}

/** Checks the arguments that the step declares. A step that declares none accepts all. */
function checkArgs(
  args: JsonObject,
  known: StepImplementation | undefined,
  fail: (what: string) => never,
): void {
  const info = known?.argsInfo;
  if (info === undefined) return;
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(info, name));
  if (unknown !== undefined) {
    fail(`the step takes no argument "${unknown}", only ${Object.keys(info).join(', ')}`);
  }
  const missing = Object.entries(info).find(([name, { required }]) => required && args[name] === undefined);
  if (missing !== undefined) fail(`the step needs the argument "${missing[0]}": ${missing[1].description}`);
}
