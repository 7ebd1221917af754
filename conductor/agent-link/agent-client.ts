/**
 * The command API of an agent (ironic-python-agent's protocol, port 9999) over HTTP.
 *
 * The token travels as the query argument the protocol asks for, so no URL of ours is ever put
 * into a text: errors name the command and the agent's host only.
 */
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import type { StepProgress } from '../domain/steps.ts';
import { type AgentCommand, type AgentCommands, AgentSilence } from './agent-commands.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** Largest answer taken: a log archive fits, a hostile stream does not. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface AgentClients {
  for(node: Node, signal: AbortSignal): AgentCommands;
  close(): Promise<void>;
}

export function createAgentClients(): AgentClients {
  /** By the certificate they trust. */
  const connections = new Map<string | null, Agent>();

  /** An agent on TLS is trusted by the certificate it gave in its heartbeat, whatever name or date it bears. */
  const connectionFor: ConnectionFor = async (ca) => {
    // Loaded when the first agent has called back: nothing at the start needs it.
    const { Agent, request } = await import('undici');
    const known = connections.get(ca);
    if (known) return { dispatcher: known, request };
    const trust = ca === null ? {} : { ca, checkServerIdentity: () => undefined };
    const dispatcher = new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS, ...trust },
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    connections.set(ca, dispatcher);
    return { dispatcher, request };
  };

  return {
    for: (node, signal) => createCommands(node, signal, connectionFor),
    async close() {
      await Promise.all([...connections.values()].map((agent) => agent.destroy()));
    },
  };
}

type ConnectionFor = (
  ca: string | null,
) => Promise<{ readonly dispatcher: Agent; readonly request: typeof import('undici').request }>;

function createCommands(node: Node, signal: AbortSignal, connectionFor: ConnectionFor): AgentCommands {
  const base = (): URL => {
    const url = node.agent?.url;
    if (url == null)
      throw new AgentSilence(`no agent has called back for node ${node.uuid} since its last boot`);
    return new URL(`${url.replace(/\/$/, '')}/v1/commands/`);
  };

  async function call(
    what: string,
    target: { path?: string; query?: Record<string, string>; body?: JsonObject; timeoutMs?: number },
  ): Promise<{ status: number; body: Json }> {
    const url = new URL(target.path ?? '', base());
    for (const [name, value] of Object.entries(target.query ?? {})) url.searchParams.set(name, value);
    if (node.agent?.token != null) url.searchParams.set('agent_token', node.agent.token);
    const timeout = target.timeoutMs ?? ANSWER_TIMEOUT_MS;
    const { dispatcher, request } = await connectionFor(node.agent?.verifyCa ?? null);
    try {
      const response = await request(url, {
        dispatcher,
        method: target.body === undefined ? 'GET' : 'POST',
        headers: target.body === undefined ? {} : { 'content-type': 'application/json' },
        body: target.body === undefined ? null : JSON.stringify(target.body),
        headersTimeout: timeout,
        bodyTimeout: timeout,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout + CONNECT_TIMEOUT_MS)]),
      });
      return { status: response.statusCode, body: (await response.body.json()) as Json };
    } catch (error) {
      signal.throwIfAborted();
      const code = (error as { code?: string }).code ?? (error as Error).name;
      throw new AgentSilence(`the agent at ${url.host} did not answer to ${what} (${code})`);
    }
  }

  function refused(what: string, status: number, body: Json): IngotError {
    const text = isJsonObject(body) ? (body['faultstring'] ?? body['message']) : undefined;
    return new IngotError(
      'agentFailure',
      `the agent refused ${what} with HTTP ${status}${typeof text === 'string' ? `: ${text}` : ''}`,
    );
  }

  return {
    async post(name, params, { wait, timeoutMs }) {
      const { status, body } = await call(name, {
        query: { wait: String(wait) },
        body: { name, params },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      if (status !== 200) throw refused(name, status, body);
      return parseCommand(name, body);
    },
    async get(id) {
      const { status, body } = await call('a status query', { path: encodeURIComponent(id) });
      if (status === 404) return undefined;
      if (status !== 200) throw refused('a status query', status, body);
      return parseCommand('a status query', body);
    },
    async list() {
      const { status, body } = await call('a list of commands', {});
      if (status !== 200 || !isJsonObject(body) || !Array.isArray(body['commands'])) {
        throw refused('a list of commands', status, body);
      }
      return body['commands'].map((one) => parseCommand('a list of commands', one as Json));
    },
  };
}

/** `{id, command_name, command_status, command_error, command_result}`, and our own `command_progress`. */
function parseCommand(what: string, body: Json): AgentCommand {
  if (!isJsonObject(body) || typeof body['id'] !== 'string' || typeof body['command_status'] !== 'string') {
    throw new IngotError('agentFailure', `the agent's answer to ${what} is not a command result`);
  }
  return {
    id: body['id'],
    name: String(body['command_name']),
    status: body['command_status'],
    error: parseError(body['command_error'] ?? null),
    result: body['command_result'] ?? null,
    progress: parseProgress(body['command_progress'] ?? null),
  };
}

function parseError(error: Json): AgentCommand['error'] {
  if (error === null) return null;
  if (!isJsonObject(error)) return { message: String(error) };
  const text = (key: string) => (typeof error[key] === 'string' ? { [key]: error[key] } : {});
  return { ...text('type'), ...text('message'), ...text('details') };
}

function parseProgress(progress: Json): StepProgress | null {
  if (!isJsonObject(progress)) return null;
  const number = (key: string) => (typeof progress[key] === 'number' ? progress[key] : null);
  return {
    phase: String(progress['phase'] ?? ''),
    bytesDone: number('bytes_done') ?? 0,
    bytesTotal: number('bytes_total'),
    bytesPerSecond: number('bytes_per_second'),
  };
}
