import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAgentHardware } from '../test/fakes/agent/agent-hardware.ts';
import { makeTree } from '../test/fakes/agent/file-tree.ts';
import { run } from './exec/run.ts';
import { collectLogs } from './log-archive.ts';

const TOKEN = 'token-of-this-boot';

it('contains the logs of the ramdisk without the token', async () => {
  const hardware = createAgentHardware({
    outputs: {
      dmesg: `Command line: quiet ipa-agent-token=${TOKEN} ingot.boot-secret=${TOKEN} BOOTIF=01-02`,
      ps: `1 root agent --token="${TOKEN} x"`,
      'ip addr': new Error('ip addr failed (ENOENT)'),
    },
  });
  hardware.log.info('hello');
  const logs = makeTree({ 'init.log': 'drivers loaded\n', 'agent.log': `${'x'.repeat(3_000_000)}the end\n` });
  const archive = await collectLogs(
    {
      log: hardware.log,
      run: (program, args, options) =>
        program === 'tar' ? run(program, args, options) : hardware.run(program, args),
    },
    logs,
  );
  const read = (...args: string[]): string =>
    execFileSync('tar', args, {
      input: Buffer.from(archive, 'base64'),
      maxBuffer: 32 * 1024 * 1024,
    }).toString();
  const names = read('-tz').trim().split('\n');
  expect(names).toEqual(
    expect.arrayContaining(
      ['agent.log', 'cmdline', 'dmesg', 'ramdisk-init.log'].map((name) => join('logs', name)),
    ),
  );
  const all = read('-xzO');
  expect(all).toContain('hello');
  expect(all).toContain('drivers loaded');
  expect(all).toContain('ip addr failed (ENOENT)');
  expect(all).toContain('ipa-agent-token=****** ingot.boot-secret=****** BOOTIF=01-02');
  expect(all).toContain('the end');
  expect(all.length).toBeLessThan(2_500_000);
  expect(all).not.toContain(TOKEN);
});
