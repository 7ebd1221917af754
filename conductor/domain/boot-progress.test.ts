import { describe, expect, it } from 'vitest';
import { BOOT_SIGHTINGS, type BootSighting } from './boot.ts';
import { BOOT_GAPS, judgeBoot } from './boot-progress.ts';

const since = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number): Date => new Date(since.getTime() + seconds * 1000);
const options = { scale: 1, overallLimitMs: 1_800_000 };

describe('judgeBoot', () => {
  it.each(Object.keys(BOOT_GAPS) as (keyof typeof BOOT_GAPS)[])(
    'names both sides of the gap after "%s"',
    (kind) => {
      const upTo = BOOT_SIGHTINGS.slice(0, BOOT_SIGHTINGS.indexOf(kind) + 1);
      const seen = upTo.map((one, i): BootSighting => ({ kind: one, at: at(i) }));
      const last = seen.at(-1)!;
      const limit = BOOT_GAPS[kind].limitSeconds;
      const before = judgeBoot(seen, since, new Date(last.at.getTime() + limit * 1000 - 1), options);
      expect(before.overdue).toBe(false);
      const after = judgeBoot(seen, since, before.deadline, options);
      expect(after.overdue).toBe(true);
      expect(after.message).toContain(`${kind} was seen`);
      expect(after.message).toContain(BOOT_GAPS[kind].missing);
      expect(after.message).toContain(BOOT_GAPS[kind].advice);
    },
  );

  it('uses the farthest step, because firmware repeats DHCP at each stage', () => {
    const seen: BootSighting[] = [
      { kind: 'ramdisk done', at: at(30), bytes: 37_000_000, detail: 'ramdisk.img' },
      { kind: 'dhcp discover', at: at(40) },
    ];
    const { message, deadline } = judgeBoot(seen, since, at(41), options);
    expect(deadline).toEqual(at(330));
    expect(message).toMatch(
      /^network boot stopped: ramdisk done \(ramdisk.img, 37,000,000 bytes\) was seen 30 s after power-on, then no lookup/,
    );
  });

  it('never waits beyond the limit of the whole boot, and ignores earlier sightings', () => {
    const old: BootSighting = { kind: 'lookup', at: at(-5) };
    const { deadline } = judgeBoot(
      [old, { kind: 'dhcp discover', at: at(1_795) }],
      since,
      at(1_796),
      options,
    );
    expect(deadline).toEqual(at(1_800));
    expect(judgeBoot([old], since, at(1), options).message).toContain('no DHCP request');
  });

  it('multiplies its limits for slow machines', () => {
    expect(judgeBoot([], since, at(0), { ...options, scale: 2 }).deadline).toEqual(at(1_200));
  });
});
