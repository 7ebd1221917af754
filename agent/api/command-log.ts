/**
 * The commands since the start of the agent: one runs at a time; the newest are kept with their results, in the order
 * of their start.
 */
import { randomUUID } from 'node:crypto';
import type {
  CommandFailure,
  CommandProgress,
  CommandResult,
  CommandStatus,
} from '@ingot/shared/agent/command.ts';
import { isJsonObject, type Json } from '@ingot/shared/json.ts';
import { AgentError, commandError } from '../command-error.ts';
import type { Command } from '../commands.ts';
import type { Hardware } from '../steps/hardware.ts';
import { checkParams, type Params } from './params.ts';

/** Number of commands to keep. A conductor reads the last one; a result may contain a log archive. */
const KEPT_COMMANDS = 50;

interface Entry {
  readonly id: string;
  readonly name: string;
  status: CommandStatus;
  error: CommandFailure | null;
  result: Json;
  progress: CommandProgress | null;
  done: Promise<void>;
}

export interface CommandLog {
  /**
   * Resolves when the command has ended if it is sync or `wait` is set.
   * Throws AgentIsBusy while another command runs, InvalidCommandParamsError for wrong parameters.
   */
  start(name: string, command: Command, params: Params, wait: boolean): Promise<CommandResult>;
  find(id: string, wait: boolean): Promise<CommandResult | undefined>;
  list(): CommandResult[];
}

export function createCommandLog(deps: {
  readonly hardware: Hardware;
  readonly signal: AbortSignal;
  /** Called when an async command has ended, so that the conductor learns it at once. */
  readonly onEnd: () => void;
  /** The node from the lookup. Commands that contain a node use that one. */
  readonly node: () => Readonly<Record<string, unknown>>;
}): CommandLog {
  const entries: Entry[] = [];
  const { log } = deps.hardware;

  async function execute(entry: Entry, command: Command, params: Params): Promise<void> {
    const given = params['node'];
    try {
      const result = await command.run(
        {
          hardware: deps.hardware,
          signal: deps.signal,
          node: { ...deps.node(), ...(isJsonObject(given) ? given : {}) },
          progress: (progress) => {
            entry.progress = progress;
          },
        },
        params,
      );
      entry.result = worded(entry.name, command, result);
      entry.status = 'SUCCEEDED';
      log.info(`command ${entry.name} succeeded`);
    } catch (error) {
      const failure = commandError(error);
      entry.error = failure;
      entry.status = failure.type === 'VersionMismatch' ? 'CLEAN_VERSION_MISMATCH' : 'FAILED';
      log.error(`command ${entry.name} failed: ${failure.details}`);
    }
    if (command.kind === 'async') deps.onEnd();
  }

  return {
    async start(name, command, params, wait) {
      const running = entries.find(({ status }) => status === 'RUNNING');
      if (running !== undefined) throw new AgentError('AgentIsBusy', `executing command ${running.name}`);
      checkParams(command.params, params);
      const short = name.slice(name.indexOf('.') + 1);
      const entry: Entry = {
        id: randomUUID(),
        name: short,
        status: 'RUNNING',
        error: null,
        result: null,
        progress: null,
        done: Promise.resolve(),
      };
      entries.push(entry);
      if (entries.length > KEPT_COMMANDS) entries.shift();
      log.info(`command ${name}`);
      // Not awaited: an async command is answered while it runs.
      entry.done = execute(entry, command, params);
      if (wait || command.kind === 'sync') await entry.done;
      return shown(entry);
    },
    async find(id, wait) {
      const entry = entries.find((one) => one.id === id);
      if (wait) await entry?.done;
      return entry && shown(entry);
    },
    list: () => entries.map(shown),
  };
}

function shown(entry: Entry): CommandResult {
  const { id, name, status, error, result, progress } = entry;
  return { id, name, status, error, result, progress };
}

/**
 * Makes a text result an object, as ironic-python-agent does; for an async command the text begins with the command's
 * name.
 */
function worded(name: string, command: Command, result: unknown): Json {
  if (typeof result !== 'string') return (result ?? null) as Json;
  return { result: command.kind === 'async' ? `${name}: ${result}` : result };
}
