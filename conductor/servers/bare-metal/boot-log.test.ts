import { describe, expect, it } from 'vitest';
import type { BootSighting } from '../../domain/boot.ts';
import { bootLog } from './boot-log.ts';

const sightings = ['power on', 'lookup'].map((kind) => ({
  ...{ kind, mac: '52:54:00:00:00:01', at: new Date(0), detail: '' },
})) as unknown as BootSighting[];

describe('the boots of a machine as text', () => {
  it('have a heading, and a line for each sighting', () => {
    expect(bootLog(sightings, null)).toMatch(/^The serial console .*\n.*power on.*\n.*lookup.*\n$/);
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [9, 3],
  ])('cut to %i lines have %i', (lines, expected) => {
    const text = bootLog(sightings, lines);
    expect(text === '' ? 0 : text.split('\n').length).toBe(expected);
    if (lines > 0) expect(text).toContain('lookup');
  });
});
