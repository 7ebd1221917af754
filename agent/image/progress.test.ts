import type { CommandProgress } from '@ingot/shared/agent/command.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgressReporter } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('reports at once, then not before half a second has passed', () => {
  const reports: CommandProgress[] = [];
  const report = createProgressReporter(
    (progress) => reports.push(progress),
    () => 4_000,
  );
  report(0);
  vi.advanceTimersByTime(499);
  report(500);
  expect(reports).toHaveLength(1);
  vi.advanceTimersByTime(1);
  report(1_000);
  vi.advanceTimersByTime(1_500);
  report(3_000);
  expect(reports).toEqual([
    { phase: 'write', bytesDone: 0, bytesTotal: 4_000, bytesPerSecond: null },
    { phase: 'write', bytesDone: 1_000, bytesTotal: 4_000, bytesPerSecond: 2_000 },
    { phase: 'write', bytesDone: 3_000, bytesTotal: 4_000, bytesPerSecond: 1_500 },
  ]);
});
