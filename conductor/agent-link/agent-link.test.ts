import type { CommandResult } from '@ingot/shared/agent/command.ts';
import { expect, it } from 'vitest';
import type { StepContext } from '../domain/drivers.ts';
import type { AgentCommands } from './agent-commands.ts';
import { createAgentLink } from './agent-link.ts';

it('sends the commands of a step to the agent that runs on its node now', async () => {
  const posted: string[] = [];
  const ended: CommandResult = {
    id: '1',
    name: 'x',
    status: 'SUCCEEDED',
    error: null,
    result: { deploy_steps: {} },
    progress: null,
  };
  const link = createAgentLink(
    (node): AgentCommands => ({
      post: async (name) => {
        posted.push(`${node.uuid} ${name}`);
        return ended;
      },
      get: async () => undefined,
      list: async () => [],
    }),
  );
  const context = {
    node: { uuid: 'n', instanceInfo: {}, driverInternalInfo: {} },
    ports: [],
    operation: { kind: 'deploy' },
    step: { interface: 'deploy', step: 'write_image', priority: 80, memo: {} },
    limits: { commandMs: 1_000, longCommandMs: 1_000 },
    now: () => new Date(),
    remember: async () => undefined,
    updateNode: async () => undefined,
  } as unknown as StepContext;
  const agent = link.forStep(context);
  await agent.call('standby.sync', 1_000);
  const spec = { name: 'image.install_bootloader', params: () => ({}), limitMs: 1_000, what: 'x' };
  expect(await agent.follow(spec)).toEqual({ kind: 'done' });
  expect(await agent.executeStep(() => ({}))).toEqual({ kind: 'done' });
  expect(await agent.learnSteps()).toEqual({ kind: 'done', insert: [] });
  expect(posted).toEqual([
    'n standby.sync',
    'n image.install_bootloader',
    'n deploy.execute_deploy_step',
    'n deploy.get_deploy_steps',
  ]);
});
