/**
 * An agent that answers the conductor's commands as a recorded one did.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { concrete, type Exchange, type Values } from './recording.ts';

export interface ReplayedAgent extends AsyncDisposable {
  readonly url: string;
  /** Names of the commands that it was sent, with the step. */
  readonly commands: readonly string[];
  /** Requests that the recording has no answer for. */
  readonly unknown: readonly string[];
  /** Answers from now on with these exchanges. */
  answerWith(exchanges: readonly Exchange[], values: Values): void;
}

export async function startReplayedAgent(): Promise<ReplayedAgent> {
  let left: Exchange[] = [];
  const commands: string[] = [];
  const unknown: string[] = [];

  /** The next answer to such a request; the last one is repeated. */
  function answerTo(key: string): Exchange['answer'] | undefined {
    const found = left.filter(({ request }) => keyOf(request.method, request.path, request.body) === key);
    if (found.length > 1) left = left.filter((one) => one !== found[0]);
    return found[0]?.answer;
  }

  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const body = method === 'POST' ? await json(incoming) : null;
    const name = commandName(body);
    if (name !== '') commands.push(name);
    const key = keyOf(method, path, body);
    const answer = answerTo(key);
    if (answer === undefined) unknown.push(key);
    const { status, body: content } = answer ?? { status: 500, body: null };
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    unknown,
    answerWith(exchanges, values) {
      left = concrete([...exchanges], values);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `clean.execute_clean_step erase_devices` */
function commandName(body: unknown): string {
  const { name, params } = (body ?? {}) as { name?: string; params?: { step?: { step?: string } } };
  return [name, params?.step?.step].filter((word) => word !== undefined).join(' ');
}

/** Requests of one key are the same question: method, path with its query, and command. */
const keyOf = (method: string, path: string, body: unknown): string =>
  [method, path, commandName(body)].filter((word) => word !== '').join(' ');
