/**
 * The command API of an agent (ironic-python-agent's protocol, port 9999) over HTTP.
 *
 * An agent that has proved the boot secret gets its commands over mutual TLS: it is known by the certificate of its
 * lookup, and knows the conductor by its key. Such an agent gets the token in a header. To others it is a query argument,
 * as the protocol demands; so no error text contains a URL: errors name only the command and the agent's host.
 */
import { TOKEN_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import {
  decodeCommandList,
  decodeCommandResult,
  decodeFaultText,
  encodeCommandQuery,
  encodeCommandRequest,
} from '@ingot/shared/agent/command.ts';
import type { Decoded } from '@ingot/shared/decoded.ts';
import type { TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
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

/** `own`: the conductor's identity; null if it boots no agents itself. */
export function createAgentClients(own: TlsIdentity | null = null): AgentClients {
  /** By node. A node's agent has another certificate after each boot. */
  const connections = new Map<string, Connection>();

  const connectionFor: ConnectionFor = async ({ uuid, agent }) => {
    // Loaded when the first agent has called back, to keep the start fast.
    const { Agent, request } = await import('undici');
    const ca = agent?.verifyCa ?? null;
    const known = connections.get(uuid);
    if (known?.ca === ca) return { dispatcher: known.dispatcher, request };
    const dispatcher = new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS, ...trustIn(ca, agent?.proven === true ? own : null) },
    });
    connections.set(uuid, { ca, dispatcher });
    await known?.dispatcher.destroy();
    return { dispatcher, request };
  };

  return {
    for: (node, signal) => createCommands(node, signal, connectionFor),
    async close() {
      await Promise.all([...connections.values()].map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

/** An agent on TLS is trusted by exactly its certificate. Name and date are not checked, and no session is resumed. */
function trustIn(ca: string | null, own: TlsIdentity | null): object {
  if (ca === null) return {};
  const client = own === null ? {} : { key: own.key, cert: own.certificate, minVersion: 'TLSv1.3' };
  return { ca, checkServerIdentity: () => undefined, maxCachedSessions: 0, ...client };
}

interface Connection {
  readonly ca: string | null;
  readonly dispatcher: Agent;
}

type ConnectionFor = (
  node: Node,
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
    const token = node.agent?.token ?? null;
    const proven = node.agent?.proven === true;
    const query = encodeCommandQuery({
      token: proven ? null : token,
      ...(target.wait === undefined ? {} : { wait: target.wait }),
    });
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const timeout = target.timeoutMs ?? ANSWER_TIMEOUT_MS;
    const { dispatcher, request } = await connectionFor(node);
    try {
      const response = await request(url, {
        dispatcher,
        method: target.body === undefined ? 'GET' : 'POST',
        headers: {
          ...(target.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(proven && token !== null ? { [TOKEN_HEADER]: token } : {}),
        },
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
