/**
 * Our conductor and the real ironic-python-agent: what recorded agents asked and answered, against `ingot serve`.
 */
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from '../attack/attacked-conductor.ts';
import { type Made, provision } from '../fakes/operator.ts';
import { type Boot, concrete, type Exchange, type RecordedRequest, recordings } from './recording.ts';
import { type ReplayedAgent, startReplayedAgent } from './replayed-agent.ts';

const UNKNOWN_TOKEN = 'no token was given yet';

/** Sends exactly the headers that were recorded: some requests name no API version. */
async function send(conductor: AttackedConductor, { method, path, body, headers }: RecordedRequest) {
  const answer = await request(`${conductor.provisioningUrl}${path}`, {
    method: method as 'GET',
    headers,
    body: body === null ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, text, body: text === '' ? null : JSON.parse(text) };
}

const historyOf = async (conductor: AttackedConductor, node: string): Promise<string> =>
  (await conductor.api('GET', `/v1/nodes/${node}/history?detail=true`)).text;

describe.each(recordings())('$recordedFrom.program $recordedFrom.version', ({ boots }) => {
  let conductor: AttackedConductor;
  let agent: ReplayedAgent;
  let made: Made;
  let token = UNKNOWN_TOKEN;

  beforeAll(async () => {
    agent = await startReplayedAgent();
    conductor = await startAttackedConductor({
      loopback: true,
      plaintextAgents: true,
      settings: { agent: { callback_allow: ['127.0.0.1/32'] } },
    });
    made = await conductor.nodeAwaitingAgent('inspect', { fields: { automated_clean: true } });
  });
  afterAll(async () => {
    await conductor?.[Symbol.asyncDispose]();
    await agent?.[Symbol.asyncDispose]();
  });

  const values = () => ({ NODE: made.node, MAC: made.mac, TOKEN: token, CALLBACK: agent.url });
  const shown = async () => (await conductor.api('GET', `/v1/nodes/${made.node}`)).body;

  const untilAwaited = () =>
    expect
      .poll(
        async () => (await conductor.api('GET', `/ingot/v1/nodes/${made.node}/timeline`)).body.operations[0],
      )
      .toMatchObject({ waiting_for: 'agent to call back' });

  /** Sends the requests of a boot in their order; the token of its lookup goes into those that follow. */
  async function replay({ toConductor, toAgent }: Boot): Promise<[Exchange, status: number][]> {
    const answers: [Exchange, status: number][] = [];
    token = UNKNOWN_TOKEN;
    for (const exchange of toConductor) {
      agent.answerWith(toAgent, values());
      const answer = await send(conductor, concrete(exchange.request, values()));
      token = answer.body?.config?.agent_token ?? token;
      answers.push([exchange, answer.status]);
    }
    return answers;
  }

  /** Repeats the heartbeat of a boot, as the agent does, until the node is in a state. */
  async function beatUntil({ toConductor }: Boot, states: readonly string[]): Promise<void> {
    const beat = toConductor.findLast((one) => one.request.path.startsWith('/v1/heartbeat/'))!;
    await expect
      .poll(
        async () => {
          await send(conductor, concrete(beat.request, values()));
          return (await shown()).provision_state;
        },
        { interval: 300, timeout: 25_000 },
      )
      .toSatisfy((state: string) => states.includes(state));
  }

  it('inspects: its data is stored', async () => {
    // The inspection may end before the requests that follow it come.
    const [first] = boots.inspect.toConductor;
    expect(first?.request.path).toBe('/v1/continue_inspection');
    const answer = await send(conductor, concrete(first!.request, values()));
    expect(answer).toMatchObject({ status: 202, body: { uuid: made.node } });
    await conductor.operator.reach(made, 'manageable');
    const { body } = await conductor.api('GET', `/v1/nodes/${made.node}/inventory`);
    expect(body.inventory.disks).toMatchObject([{ name: '/dev/sda', serial: 'MADEUP1' }]);
  });

  it('cleans: it gets a token, our conductor reads its steps and results, and shows the session as plaintext', async () => {
    await conductor.operator.ask(made, provision({ target: 'provide' }));
    await untilAwaited();
    for (const [{ request: asked, answer }, status] of await replay(boots.clean))
      expect([asked.path, status]).toEqual([asked.path, answer.status]);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await shown()).driver_internal_info).toMatchObject({
      agent_session: 'plaintext',
      agent_url: agent.url,
    });
    await beatUntil(boots.clean, ['available', 'clean failed']);
    expect(await shown()).toMatchObject({ provision_state: 'available', last_error: null });
    expect(agent.unknown).toEqual([]);
    expect(agent.commands).toEqual([
      'clean.get_clean_steps',
      'clean.execute_clean_step erase_devices_metadata',
      'clean.execute_clean_step erase_devices',
    ]);
  });

  it('deploys: our conductor shows the error of a command that failed', async () => {
    await conductor.operator.ask(made, provision({ target: 'active' }));
    await untilAwaited();
    await replay(boots.deploy);
    await beatUntil(boots.deploy, ['active', 'deploy failed']);
    expect(await shown()).toMatchObject({
      provision_state: 'deploy failed',
      last_error: expect.stringContaining('no image is written in a recording'),
    });
    expect(agent.unknown).toEqual([]);
  });
});

describe('without agent.allow_plaintext', () => {
  let conductor: AttackedConductor;
  let made: Made;
  beforeAll(async () => {
    conductor = await startAttackedConductor({ loopback: true });
    made = await conductor.nodeAwaitingAgent('inspect');
  });
  afterAll(() => conductor?.[Symbol.asyncDispose]());

  it.each([
    ['its lookup', '/v1/lookup', 'a lookup without the boot secret'],
    ['its inspection data', '/v1/continue_inspection', 'inspection data without the boot secret'],
  ])('%s is refused, and the history says so', async (_, path, event) => {
    const [recording] = recordings();
    const recorded = recording!.boots.inspect.toConductor.find((one) => one.request.path.startsWith(path));
    const sent = concrete(recorded!.request, {
      ...{ NODE: made.node, MAC: made.mac },
      ...{ TOKEN: UNKNOWN_TOKEN, CALLBACK: 'http://127.0.0.1:9999' },
    });
    const answer = await send(conductor, sent);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('answers only agents that prove the boot secret');
    expect(await historyOf(conductor, made.node)).toContain(event);
    expect((await conductor.api('GET', `/v1/nodes/${made.node}`)).body).toMatchObject({
      provision_state: 'inspect wait',
      last_error: null,
    });
  });
});
