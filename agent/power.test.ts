import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAgentHardware } from '../test/fakes/agent/agent-hardware.ts';
import { makeTree } from '../test/fakes/agent/file-tree.ts';
import { powerOff, reboot } from './power.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

it.each([
  [powerOff, 'poweroff'],
  [reboot, 'reboot'],
] as const)('flushes first, and leaves a second for the answer (%#)', async (leave, program) => {
  const hardware = createAgentHardware({});
  await leave(hardware);
  expect(hardware.started).toEqual([['sync']]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hardware.started).toEqual([['sync'], [program, '-f']]);
});

it.each([
  [powerOff, 'poweroff', 'o'],
  [reboot, 'reboot', 'b'],
] as const)('asks the kernel when the program fails (%#)', async (leave, program, key) => {
  const hardware = createAgentHardware({ outputs: { [program]: new Error(`${program} -f failed (1)`) } });
  const sysrq = join(makeTree({ sysrq: '' }), 'sysrq');
  await leave(hardware, sysrq);
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect(readFileSync(sysrq, 'utf8')).toBe(key), { timeout: 10_000 });
  expect(hardware.log.lines().join()).toContain(`${program} -f failed (1); asking the kernel by SysRq`);
});

it('does not power off when the disks can not be flushed', async () => {
  const hardware = createAgentHardware({ outputs: { sync: new Error('sync was stopped after 600 s') } });
  await expect(reboot(hardware)).rejects.toThrow('sync was stopped');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(hardware.started).toEqual([['sync']]);
});
