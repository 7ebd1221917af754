/** An agent answers a command with a fault text of 25 MiB. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';
import { settled, watched } from './bystander.ts';
import { failed, LOOPBACK_AGENTS, startHostileAgent } from './hostile-agent.ts';

const HUGE = 25 * 1024 * 1024;

it.each([
  ['of 25 MiB is not read to its end', HUGE, /longer than 1 MiB and was cut off/],
  ['of 900,000 characters is cut', 900_000, /x{100} \[cut from 900000 characters\]/],
])(
  'a fault text %s',
  async (_, length, reason) => {
    await using conductor = await startAttackedConductor({
      loopback: true,
      plaintextAgents: true,
      settings: LOOPBACK_AGENTS,
    });
    await using agent = await startHostileAgent({ 'deploy.get_deploy_steps': failed('x'.repeat(length)) });
    const { node } = await conductor.nodeAwaitingAgent('deploy');
    const { result, slowestMs, grownMiB } = await watched(conductor, async () => {
      await agent.boot(conductor, node);
      return settled(conductor, node, 'deploy failed');
    });
    expect(result.last_error).toMatch(reason);
    expect(result.last_error.length).toBeLessThan(6_000);
    expect(slowestMs).toBeLessThan(1_500);
    expect(grownMiB).toBeLessThan(80);
    expect((await conductor.api('GET', `/v1/nodes/${node}/history`)).text.length).toBeLessThan(20_000);
    expect((await conductor.log()).length).toBeLessThan(100_000);
  },
  60_000,
);
