/** An agent says that it has 200,000 steps, or two of one name. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';
import { settled, watched } from './bystander.ts';
import { LOOPBACK_AGENTS, startHostileAgent } from './hostile-agent.ts';

const step = (name: string, more: object = {}) => ({
  step: name,
  priority: 5,
  interface: 'deploy',
  abortable: true,
  reboot_requested: false,
  ...more,
});
const numbered = (count: number) => Array.from({ length: count }, (_, n) => step(`s${n}`));

it.each<[string, object, RegExp]>([
  ['200,000 steps', { Hostile: numbered(200_000) }, /longer than 1 MiB and was cut off/],
  ['5,000 steps in less than 1 MiB', { Hostile: numbered(5_000) }, /has 5000 steps; at most 256 are allowed/],
  [
    'two steps of one name',
    {
      Real: [step('erase_devices', { priority: 10 })],
      Hostile: [step('erase_devices', { interface: 'raid', priority: 99 })],
    },
    /has two steps with the name "erase_devices"/,
  ],
])(
  'a clean fails before its first step when the agent has %s',
  async (_, steps, reason) => {
    await using conductor = await startAttackedConductor({
      loopback: true,
      plaintextAgents: true,
      settings: LOOPBACK_AGENTS,
    });
    await using agent = await startHostileAgent({
      'clean.get_clean_steps': { clean_steps: steps, hardware_manager_version: { Hostile: '1' } },
    });
    const { node } = await conductor.nodeAwaitingAgent('clean');
    const { result, slowestMs, grownMiB } = await watched(conductor, async () => {
      await agent.boot(conductor, node);
      return settled(conductor, node, 'clean failed', 'available');
    });
    expect(result.provision_state).toBe('clean failed');
    expect(result.last_error).toMatch(reason);
    expect(agent.commands).toEqual(['clean.get_clean_steps']);
    expect(slowestMs).toBeLessThan(1_500);
    expect(grownMiB).toBeLessThan(80);
  },
  60_000,
);
