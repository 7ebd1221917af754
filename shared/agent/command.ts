/**
 * Commands from a conductor to an agent: `POST /v1/commands/?wait=&agent_token=` with `{name, params}`, and the
 * command result, which this, `GET /v1/commands/<id>` and `GET /v1/commands/` return (ironic-python-agent's API).
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type Json, type JsonObject, textOf } from '../json.ts';
import { boundedName, boundedText, isCount, isName } from './limits.ts';

export type CommandStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH';

/** A command request; the name includes the extension: `standby.sync`. */
export interface CommandRequest {
  readonly name: string;
  readonly params: JsonObject;
}

export function encodeCommandRequest({ name, params }: CommandRequest): JsonObject {
  return { name, params };
}

export function decodeCommandRequest(body: unknown): Decoded<CommandRequest> {
  const { name, params } = isJsonObject(body) ? body : {};
  if (typeof name !== 'string') return bad('name must be a string');
  if (!isJsonObject(params)) return bad('params must be an object');
  return good({ name, params });
}

/** The query of every call: the agent's token, and whether the answer waits for the end of the command. */
export interface CommandQuery {
  readonly token: string | null;
  readonly wait?: boolean;
}

export function encodeCommandQuery({ token, wait }: CommandQuery): Readonly<Record<string, string>> {
  return {
    ...(wait === undefined ? {} : { wait: String(wait) }),
    ...(token === null ? {} : { agent_token: token }),
  };
}

export function decodeCommandQuery(query: Readonly<Record<string, unknown>>): Required<CommandQuery> {
  const token = query['agent_token'];
  return {
    token: token == null ? null : String(token),
    wait: String(query['wait'] ?? 'false').toLowerCase() === 'true',
  };
}

export interface CommandFailure {
  readonly type?: string;
  readonly code?: number;
  readonly message?: string;
  readonly details?: string;
}

/** The progress of a long command; `bytesTotal` is null when it is not known beforehand. */
export interface CommandProgress {
  readonly phase: string;
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly bytesPerSecond: number | null;
}

export interface CommandResult {
  readonly id: string;
  /** Without the extension. */
  readonly name: string;
  /** Other agents may use more statuses. */
  readonly status: CommandStatus | (string & {});
  readonly error: CommandFailure | null;
  readonly result: Json;
  readonly progress: CommandProgress | null;
}

/** `command_progress` is our own addition to a running command; other conductors ignore it. */
export function encodeCommandResult(command: CommandResult): JsonObject {
  const { id, name, status, error, result, progress } = command;
  return {
    id,
    command_name: name,
    command_status: status,
    command_error: error === null ? null : { ...error },
    command_result: result,
    ...(progress === null ? {} : { command_progress: encodeProgress(progress) }),
  };
}

/** Accepts what other agents leave out or add; only an id and a status are required. */
export function decodeCommandResult(body: unknown): Decoded<CommandResult> {
  if (!isJsonObject(body)) return bad('a command result must be an object');
  const { id, command_status: status } = body;
  if (!isName(id)) return bad('a command result must have an id');
  if (!isName(status)) return bad('a command result must have a command_status');
  return good({
    id,
    name: boundedName(body['command_name'] ?? 'undefined'),
    status,
    error: decodeFailure(body['command_error'] ?? null),
    result: body['command_result'] ?? null,
    progress: decodeProgress(body['command_progress'] ?? null),
  });
}

export function encodeCommandList(commands: readonly CommandResult[]): JsonObject {
  return { commands: commands.map(encodeCommandResult) };
}

export function decodeCommandList(body: unknown): Decoded<CommandResult[]> {
  const list = isJsonObject(body) ? body['commands'] : undefined;
  if (!Array.isArray(list)) return bad('the answer has no list of commands');
  const commands: CommandResult[] = [];
  for (const one of list) {
    const decoded = decodeCommandResult(one);
    if (!decoded.ok) return decoded;
    commands.push(decoded.value);
  }
  return good(commands);
}

/** The body of an HTTP error: `Client` or `Server`, and a text. */
export interface CommandFault {
  readonly side: 'Client' | 'Server';
  readonly text: string;
}

export function encodeFault({ side, text }: CommandFault): JsonObject {
  return { faultcode: side, faultstring: text };
}

/** The text of an error body; undefined when there is none. */
export function decodeFaultText(body: unknown): string | undefined {
  const text = isJsonObject(body) ? (body['faultstring'] ?? body['message']) : undefined;
  return typeof text === 'string' ? boundedText(text) : undefined;
}

function encodeProgress(progress: CommandProgress): JsonObject {
  return {
    phase: progress.phase,
    bytes_done: progress.bytesDone,
    bytes_total: progress.bytesTotal,
    bytes_per_second: progress.bytesPerSecond,
  };
}

function decodeProgress(progress: Json): CommandProgress | null {
  if (!isJsonObject(progress)) return null;
  const number = (key: string) => (isCount(progress[key]) ? progress[key] : null);
  return {
    phase: boundedName(progress['phase'] ?? ''),
    bytesDone: number('bytes_done') ?? 0,
    bytesTotal: number('bytes_total'),
    bytesPerSecond: number('bytes_per_second'),
  };
}

function decodeFailure(error: Json): CommandFailure | null {
  if (error === null) return null;
  if (!isJsonObject(error)) return { message: boundedText(textOf(error)) };
  const text = (key: string) => (typeof error[key] === 'string' ? { [key]: boundedText(error[key]) } : {});
  const { code } = error;
  return {
    ...text('type'),
    ...(isCount(code) ? { code } : {}),
    ...text('message'),
    ...text('details'),
  };
}
