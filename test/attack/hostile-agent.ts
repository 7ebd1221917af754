/**
 * An agent of the old protocol on loopback that looks its node up, sends a heartbeat, and answers commands as an
 * attacker likes.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AttackedConductor, knowsSetting } from './attacked-conductor.ts';

/** Settings of a conductor that calls agents on loopback, if it has such a setting. */
export const LOOPBACK_AGENTS = knowsSetting('agent.callback_allow')
  ? { agent: { callback_allow: ['127.0.0.0/8'] } }
  : {};

export interface HostileAgent extends AsyncDisposable {
  readonly url: string;
  /** Commands in order: `clean.get_clean_steps`, `clean.execute_clean_step erase_devices`. */
  readonly commands: readonly string[];
  /** Looks the node up and sends the first heartbeat. */
  boot(conductor: AttackedConductor, node: string): Promise<void>;
}

/** By command; a string is sent as it is, anything else as the result of a command that succeeded. */
export type Answers = Readonly<Record<string, unknown>>;

export const failed = (details: string): string =>
  JSON.stringify({
    id: 'c1',
    command_name: 'x',
    command_status: 'FAILED',
    command_error: { type: 'AgentError', code: 500, message: 'it failed', details },
    command_result: null,
  });

export async function startHostileAgent(answers: Answers): Promise<HostileAgent> {
  const commands: string[] = [];
  const done: Buffer[] = [];
  // Made before the attack, whose time is measured in this process.
  const prepared = new Map(
    Object.entries(answers).map(([called, answer]) => [called, bytesOf(called, answer)]),
  );

  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST') {
      response.write('{"commands":[');
      for (const [index, one] of done.entries()) {
        if (index > 0) response.write(',');
        response.write(one);
      }
      return response.end(']}');
    }
    const { name, params } = JSON.parse(body) as { name: string; params: { step?: { step: string } } };
    const called = params.step === undefined ? name : `${name} ${params.step.step}`;
    commands.push(called);
    const answer = prepared.get(called) ?? bytesOf(called, null);
    if (typeof answers[called] !== 'string') done.push(answer);
    return response.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    commands,
    async boot({ provisioning }, node) {
      const found = await provisioning('GET', `/v1/lookup?node_uuid=${node}`);
      const beat = await provisioning('POST', `/v1/heartbeat/${node}`, {
        body: { callback_url: url, agent_version: '10.0.0', agent_token: found.body.config.agent_token },
      });
      if (beat.status !== 202) throw new Error(`the heartbeat was refused: ${beat.error}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const bytesOf = (called: string, answer: unknown): Buffer =>
  Buffer.from(
    typeof answer === 'string'
      ? answer
      : JSON.stringify({
          id: called,
          command_name: called.split(/[ .]/)[1],
          command_status: 'SUCCEEDED',
          command_error: null,
          command_result: answer,
        }),
  );
