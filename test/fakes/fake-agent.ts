/**
 * An agent on loopback HTTP: looks itself up, heartbeats, and answers every command at once, with success or with a
 * given failure.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Call } from './api-client.ts';

export interface FakeAgent extends AsyncDisposable {
  /** Command name, or name and step as in `deploy.execute_deploy_step write_image` -> error with which it fails. */
  readonly failures: Map<string, string>;
  /** Executed commands in order, named as in `failures`. */
  readonly commands: string[];
  /** Like an agent after a network boot: looks itself up for its token, then sends a heartbeat. */
  boot(ramdiskCall: Call, nodeUuid: string): Promise<void>;
}

const VERSION = 'ingot/test';

const RESULTS: Readonly<Record<string, unknown>> = {
  'deploy.get_deploy_steps': { deploy_steps: {}, hardware_manager_version: {} },
};

export async function startFakeAgent(): Promise<FakeAgent> {
  const failures = new Map<string, string>();
  const commands: string[] = [];
  const done: object[] = [];

  async function run(request: IncomingMessage): Promise<object> {
    const { name, params } = JSON.parse(await text(request)) as {
      name: string;
      params: { step?: { step: string } };
    };
    const called = params.step === undefined ? name : `${name} ${params.step.step}`;
    commands.push(called);
    const failure = failures.get(called);
    const command = {
      id: `command-${done.length}`,
      command_name: name.split('.')[1],
      command_status: failure === undefined ? 'SUCCEEDED' : 'FAILED',
      command_error: failure === undefined ? null : { type: 'AgentError', code: 500, details: failure },
      command_result: failure === undefined ? (RESULTS[name] ?? null) : null,
    };
    done.push(command);
    return command;
  }

  const server = createServer(async (request, response) => {
    const answer = request.method === 'POST' ? await run(request) : { commands: done };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    failures,
    commands,
    async boot(ramdiskCall, nodeUuid) {
      done.length = 0;
      const { body } = await ramdiskCall('GET', `/v1/lookup?node_uuid=${nodeUuid}`);
      const heartbeat = { callback_url: url, agent_version: VERSION, agent_token: body.config.agent_token };
      const answer = await ramdiskCall('POST', `/v1/heartbeat/${nodeUuid}`, heartbeat);
      if (answer.status !== 202) throw new Error(`heartbeat refused: ${answer.error}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
