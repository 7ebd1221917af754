import { describe, expect, it } from 'vitest';
import { createAgentHardware } from '../test/fakes/agent/agent-hardware.ts';
import { setClock } from './clock.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the clock', () => {
  it.each([0, Date.UTC(2099, 0, 1)])('is set when it is wrong: %i', async (wrong) => {
    const hardware = createAgentHardware({});
    await setClock(hardware, new Date(NOW), wrong);
    expect(hardware.started).toEqual([['date', '-u', '-s', '@1767225600']]);
    expect(hardware.log.lines()[0]).toContain(
      `the clock said ${new Date(wrong).toISOString()} and is now set to 2026-01-01T00:00:00.000Z`,
    );
  });

  it('is left alone when it is right, and when the conductor has named no time', async () => {
    const hardware = createAgentHardware({});
    await setClock(hardware, new Date(NOW), NOW + 4_000);
    await setClock(hardware, null, 0);
    expect(hardware.started).toEqual([]);
  });

  it('stays wrong with a warning when it cannot be set', async () => {
    const hardware = createAgentHardware({ outputs: { date: new Error('no permission') } });
    await setClock(hardware, new Date(NOW), 0);
    expect(hardware.log.lines()[0]).toContain(
      'warning: the clock is wrong and could not be set: no permission',
    );
  });
});
