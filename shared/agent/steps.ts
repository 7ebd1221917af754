/**
 * Steps of an agent: `<extension>.get_<extension>_steps` lists them, `<extension>.execute_<extension>_step` runs one
 * (ironic-python-agent's extensions clean, deploy and service).
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isCount, isName, MOST_ENTRIES, MOST_STEPS } from './limits.ts';

export const STEP_EXTENSIONS = ['clean', 'deploy', 'service'] as const;
export type StepExtension = (typeof STEP_EXTENSIONS)[number];

export const getStepsCommand = (extension: StepExtension): string => `${extension}.get_${extension}_steps`;
export const executeStepCommand = (extension: StepExtension): string =>
  `${extension}.execute_${extension}_step`;
const listKey = (extension: StepExtension): string => `${extension}_steps`;
/** The parameter of execute with the versions of the hardware managers. */
export const versionKey = (extension: StepExtension): string => `${extension}_version`;

export interface AgentStepInfo {
  readonly step: string;
  readonly interface: string;
  readonly priority: number;
  readonly abortable: boolean;
  readonly rebootRequested: boolean;
  readonly argsInfo?: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
}

export interface StepList {
  readonly steps: readonly AgentStepInfo[];
  /** Hardware manager -> version; execute sends it back. */
  readonly version: JsonObject;
}

/** The steps of one hardware manager, `{"clean_steps": {"Manager": [...]}, "hardware_manager_version": {...}}`. */
export function encodeStepList(extension: StepExtension, manager: string, list: StepList): JsonObject {
  return {
    [listKey(extension)]: { [manager]: list.steps.map(encodeStepInfo) },
    hardware_manager_version: list.version,
  };
}

/**
 * The steps of all managers together. Names must differ, also between managers and interfaces, because an agent is
 * told only the name of a step: another one of the same name would run in its place. An entry that cannot be read
 * is an error, because a clean without it would leave data behind.
 */
export function decodeStepList(extension: StepExtension, result: unknown): Decoded<StepList> {
  const lists = isJsonObject(result) ? result[listKey(extension)] : undefined;
  if (!isJsonObject(result) || !isJsonObject(lists)) return bad(`has no "${listKey(extension)}"`);
  const entries = Object.values(lists).flat();
  if (entries.length > MOST_STEPS)
    return bad(`has ${entries.length} steps; at most ${MOST_STEPS} are allowed`);
  const steps: AgentStepInfo[] = [];
  const names = new Set<string>();
  for (const entry of entries) {
    const step = decodeStepInfo(entry);
    if (!step.ok) return step;
    const { step: name } = step.value;
    if (names.has(name)) return bad(`has two steps with the name "${name}"`);
    names.add(name);
    steps.push(step.value);
  }
  const version = decodeVersion(result['hardware_manager_version'] ?? {});
  return version.ok ? good({ steps, version: version.value }) : version;
}

/** Hardware manager -> version. */
function decodeVersion(version: Json): Decoded<JsonObject> {
  if (!isJsonObject(version)) return bad('has a hardware_manager_version that is no object');
  const entries = Object.entries(version);
  const isGood = ([name, value]: [string, Json]) => isName(name) && (isName(value) || isCount(value));
  if (entries.length <= MOST_ENTRIES && entries.every(isGood)) return good(version);
  return bad(`has a hardware_manager_version that is not at most ${MOST_ENTRIES} names with a version`);
}

function encodeStepInfo(info: AgentStepInfo): JsonObject {
  return {
    step: info.step,
    priority: info.priority,
    interface: info.interface,
    reboot_requested: info.rebootRequested,
    abortable: info.abortable,
    ...(info.argsInfo === undefined ? {} : { argsinfo: info.argsInfo }),
  };
}

/** The agent itself checks the values of arguments. */
function decodeStepInfo(entry: Json): Decoded<AgentStepInfo> {
  if (!isJsonObject(entry)) return bad('has a step that is no object');
  const { step, interface: on = 'deploy', priority, argsinfo: args = null } = entry;
  const { abortable = false, reboot_requested: rebootRequested = false } = entry;
  if (!isName(step)) return bad('has a step without a name of 1 to 255 characters');
  const wrong = (what: string) => bad(`has the step "${step}" with ${what}`);
  if (!isName(on)) return wrong('an interface that is no name');
  if (!isCount(priority)) return wrong('a priority that is no whole number, 0 or more');
  if (typeof abortable !== 'boolean') return wrong('"abortable" that is neither true nor false');
  if (typeof rebootRequested !== 'boolean') return wrong('"reboot_requested" that is neither true nor false');
  if (!isArgsInfo(args)) return wrong(`"argsinfo" that is no object of at most ${MOST_ENTRIES} arguments`);
  return good({ step, interface: on, priority, abortable, rebootRequested });
}

function isArgsInfo(args: Json): boolean {
  if (args === null) return true;
  if (!isJsonObject(args)) return false;
  const entries = Object.entries(args);
  return (
    entries.length <= MOST_ENTRIES && entries.every(([name, info]) => isName(name) && isJsonObject(info))
  );
}

/** A step to run, and what the conductor knows about the node. */
export interface StepExecution {
  readonly interface: string;
  readonly step: string;
  readonly priority: number;
  readonly args: JsonObject;
  readonly node: JsonObject;
  readonly ports: readonly JsonObject[];
  /** The versions of the hardware managers from their list of steps. */
  readonly version: Json;
}

export function encodeStepExecution(extension: StepExtension, execution: StepExecution): JsonObject {
  const { interface: on, step, priority, args, node, ports, version } = execution;
  return { step: { interface: on, step, priority, args }, node, ports, [versionKey(extension)]: version };
}

/** What the agent uses of it. */
export type AskedStep = Pick<StepExecution, 'step' | 'args' | 'version'>;

export function decodeStepExecution(extension: StepExtension, params: JsonObject): Decoded<AskedStep> {
  const { step: asked } = params;
  if (!isJsonObject(asked)) return bad('step must be an object');
  const { step, args } = asked;
  if (typeof step !== 'string' || step === '') return bad('step.step must be the name of a step');
  if (args != null && !isJsonObject(args)) return bad('step.args must be an object');
  return good({ step, args: args ?? {}, version: params[versionKey(extension)] ?? null });
}

/** The result of a step, which contains the step itself. */
export function encodeStepResult(extension: StepExtension, asked: Json, result: Json): JsonObject {
  return { [`${extension}_result`]: result, [`${extension}_step`]: asked };
}
