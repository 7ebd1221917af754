/**
 * Steps of an agent: `<extension>.get_<extension>_steps` lists them, `<extension>.execute_<extension>_step` runs one
 * (ironic-python-agent's extensions clean, deploy and service).
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

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

/** The steps of all managers together. A step of several managers is returned once, with its highest priority. */
export function decodeStepList(extension: StepExtension, result: unknown): Decoded<StepList> {
  const lists = isJsonObject(result) ? result[listKey(extension)] : undefined;
  if (!isJsonObject(result) || !isJsonObject(lists)) return bad(`has no "${listKey(extension)}"`);
  const found = new Map<string, AgentStepInfo>();
  for (const list of Object.values(lists)) {
    for (const entry of Array.isArray(list) ? (list as readonly Json[]) : []) {
      const step = decodeStepInfo(entry);
      const name = step && `${step.interface}.${step.step}`;
      if (step && name && (found.get(name)?.priority ?? -1) < step.priority) found.set(name, step);
    }
  }
  const version = result['hardware_manager_version'];
  return good({ steps: [...found.values()], version: isJsonObject(version) ? version : {} });
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

/** undefined for an invalid entry. The agent itself checks the arguments. */
function decodeStepInfo(entry: Json): AgentStepInfo | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { step, interface: on = 'deploy', priority, abortable, reboot_requested: reboot } = entry;
  if (typeof step !== 'string' || typeof on !== 'string' || typeof priority !== 'number') return undefined;
  return { step, interface: on, priority, abortable: abortable === true, rebootRequested: reboot === true };
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
