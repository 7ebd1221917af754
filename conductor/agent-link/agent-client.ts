/**
 * The command API of an agent (ironic-python-agent's protocol, port 9999) over HTTP.
 *
 * The token is a query argument, as the protocol demands. So no error text contains a URL: errors name only the
 * command and the agent's host.
 */
import {
  decodeCommandList,
  decodeCommandResult,
  decodeFaultText,
  encodeCommandQuery,
  encodeCommandRequest,
} from '@ingot/shared/agent/command.ts';
import type { Decoded } from '@ingot/shared/decoded.ts';
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { readAnswer } from './agent-answer.ts';
import { type AgentCommands, AgentSilence } from './agent-commands.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 60_000;

export interface AgentClients {
  for(node: Node, signal: AbortSignal): AgentCommands;
  close(): Promise<void>;
}

export function createAgentClients(): AgentClients {
  /** By the trusted certificate. */
  const connections = new Map<string | null, Agent>();

  /** An agent on TLS is trusted by the certificate in its heartbeat; name and date are not checked. */
  const connectionFor: ConnectionFor = async (ca) => {
    // Loaded when the first agent has called back, to keep the start fast.
    const { Agent, request } = await import('undici');
    const known = connections.get(ca);
    if (known) return { dispatcher: known, request };
    const trust = ca === null ? {} : { ca, checkServerIdentity: () => undefined };
    const dispatcher = new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS, ...trust },
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
    target: { path?: string; wait?: boolean; body?: JsonObject; timeoutMs?: number },
  ): Promise<{ status: number; body: Json }> {
    const url = new URL(target.path ?? '', base());
    const query = encodeCommandQuery({
      token: node.agent?.token ?? null,
      ...(target.wait === undefined ? {} : { wait: target.wait }),
    });
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
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
      return { status: response.statusCode, body: await readAnswer(what, response.body) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof IngotError) throw error;
      const code = (error as { code?: string }).code ?? (error as Error).name;
      throw new AgentSilence(`the agent at ${url.host} did not answer to ${what} (${code})`);
    }
  }

  function refused(what: string, status: number, body: Json): IngotError {
    const text = decodeFaultText(body);
    return new IngotError(
      'agentFailure',
      `the agent refused ${what} with HTTP ${status}${text === undefined ? '' : `: ${text}`}`,
    );
  }

  return {
    async post(name, params, { wait, timeoutMs }) {
      const { status, body } = await call(name, {
        wait,
        body: encodeCommandRequest({ name, params }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      if (status !== 200) throw refused(name, status, body);
      return readable(name, decodeCommandResult(body));
    },
    async get(id) {
      const { status, body } = await call('a status query', { path: encodeURIComponent(id) });
      if (status === 404) return undefined;
      if (status !== 200) throw refused('a status query', status, body);
      return readable('a status query', decodeCommandResult(body));
    },
    async list() {
      const { status, body } = await call('a list of commands', {});
      if (status !== 200) throw refused('a list of commands', status, body);
      return readable('a list of commands', decodeCommandList(body));
    },
  };
}

function readable<T>(what: string, answer: Decoded<T>): T {
  if (answer.ok) return answer.value;
  throw new IngotError('agentFailure', `the agent's answer to ${what} cannot be read: ${answer.reason}`);
}
