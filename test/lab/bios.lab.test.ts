import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeFirstMachine } from './first-machine.ts';

describeFirstMachine('bios', (first) => {
  it('survives a killed conductor in the middle of the image write', async () => {
    const { conductor, machine, node, go, imageUrl } = first();
    const { operator } = conductor;
    await go('deleted', 'available');
    await operator.patch(node, { '/instance_info/image_source': imageUrl });
    await operator.provision(node, 'active', { configdrive: { meta_data: { hostname: 'third-bios' } } });
    const from = (await machine.console.text()).length;
    await machine.console.waitFor(/writing image/, { timeoutMs: 300_000, from });
    await conductor.kill();
    await sleep(2_000);
    await conductor.start();
    const ended = await settle(first);
    if (ended === 'deploy failed') {
      expect((await operator.timeline(node)).node.last_error).toMatch(
        /deploy step deploy\.write_image failed: .+/,
      );
      await go('active', 'active');
    }
    await machine.console.waitFor(/third-bios login:/, { timeoutMs: 300_000, from });
  });

  async function settle(of: typeof first): Promise<string> {
    const { conductor, node } = of();
    for (;;) {
      const { provision_state: state } = (await conductor.operator.timeline(node)).node;
      if (state === 'active' || state === 'deploy failed') return state;
      await sleep(500);
    }
  }
});
