import type { CommandResult } from '@ingot/shared/agent/command.ts';
import { describe, expect, it } from 'vitest';
import type { StepContext } from '../domain/drivers.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { type AgentCommands, AgentSilence } from './agent-commands.ts';
import { executeStep, learnSteps } from './agent-steps.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function fakeStep(kind: string) {
  const state = { memo: {} as JsonObject, patches: [] as object[] };
  const context = {
    operation: { kind },
    node: {
      uuid: 'n',
      instanceInfo: { image_source: 'secret', root_device: { serial: 'S' }, configdrive: 'secret' },
      driverInternalInfo: { hardware_manager_version: { M: '1' }, other: true },
    },
    ports: [{ uuid: 'p', address: '52:54:00:00:00:01' }],
    get step() {
      return { interface: 'deploy', step: 'write_image', priority: 80, memo: state.memo };
    },
    limits: { commandMs: 1_000, longCommandMs: 9_000 },
    now: () => new Date(START),
    remember: async (more: JsonObject) => {
      state.memo = { ...state.memo, ...more };
    },
    updateNode: async (patch: object) => void state.patches.push(patch),
  } as unknown as StepContext;
  return { context, state };
}

function fakeAgent(answer: Json | Error) {
  const posted: { name: string; params: JsonObject }[] = [];
  const command = { id: '1', name: 'x', status: 'SUCCEEDED', error: null, progress: null } as const;
  const agent: AgentCommands = {
    async post(name, params): Promise<CommandResult> {
      posted.push({ name, params });
      if (answer instanceof Error) throw answer;
      return { ...command, result: answer };
    },
    get: async () => undefined,
    list: async () => [],
  };
  return { agent, posted };
}

describe('a step of the agent', () => {
  it('is sent with the node and the versions of its hardware managers', async () => {
    const { agent, posted } = fakeAgent(null);
    expect(await executeStep(fakeStep('deploy').context, agent, () => ({ a: 1 }))).toEqual({ kind: 'done' });
    expect(posted).toMatchObject([
      {
        name: 'deploy.execute_deploy_step',
        params: {
          step: { interface: 'deploy', step: 'write_image', priority: 80, args: { a: 1 } },
          node: { uuid: 'n', instance_info: { root_device: { serial: 'S' } } },
          ports: [{ uuid: 'p' }],
          deploy_version: { M: '1' },
        },
      },
    ]);
    expect(JSON.stringify(posted)).not.toContain('secret');
  });

  it('exists only for operations with an agent extension', async () => {
    await expect(executeStep(fakeStep('rescue').context, fakeAgent(null).agent, () => ({}))).rejects.toThrow(
      'the agent has no steps for rescue',
    );
  });
});

describe('the steps of an agent', () => {
  it('are learnt with their version', async () => {
    const entry = { step: 'erase_devices', priority: 10, interface: 'deploy', abortable: true };
    const { agent, posted } = fakeAgent({
      clean_steps: { M: [entry] },
      hardware_manager_version: { M: '2' },
    });
    const { context, state } = fakeStep('clean');
    expect(await learnSteps(context, agent)).toEqual({
      kind: 'done',
      insert: [
        {
          interface: 'deploy',
          step: 'erase_devices',
          args: {},
          priority: 10,
          where: 'agent',
          abortable: true,
        },
      ],
    });
    expect(posted.map(({ name }) => name)).toEqual(['clean.get_clean_steps']);
    expect(state.patches).toEqual([
      { driverInternalInfo: { hardware_manager_version: { M: '2' }, other: true } },
    ]);
  });

  it('are awaited for two minutes while the agent can not be reached', async () => {
    const { context, state } = fakeStep('clean');
    const { agent } = fakeAgent(new AgentSilence('the agent at 192.0.2.9 did not answer'));
    expect(await learnSteps(context, agent)).toEqual({
      kind: 'wait',
      waitingFor: { kind: 'agent', text: 'agent to answer' },
      wakeAt: new Date(START + 2_000),
      deadline: new Date(START + 120_000),
      overdue:
        'the agent at 192.0.2.9 did not answer: it sends heartbeats but the conductor cannot reach it; a firewall may be in between',
    });
    const { memo } = state;
    await learnSteps(context, agent);
    expect(state.memo).toBe(memo);
  });

  it('fail the operation when the answer is invalid', async () => {
    const { context } = fakeStep('clean');
    const unknown = { M: [{ step: 'erase_devices', priority: 10, interface: 'kitchen' }] };
    await expect(learnSteps(context, fakeAgent({ clean_steps: unknown }).agent)).rejects.toThrow(
      'the agent has the step "erase_devices" of the unknown interface "kitchen"',
    );
    await expect(learnSteps(context, fakeAgent({ deploy_steps: {} }).agent)).rejects.toThrow(
      `the agent's answer to clean.get_clean_steps has no "clean_steps"`,
    );
  });
});
