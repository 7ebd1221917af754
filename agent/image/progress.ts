/** Reports the progress of a write, at most twice a second. */
import type { CommandProgress } from '@ingot/shared/agent/command.ts';

const PROGRESS_MS = 500;

/** Returns a function to call with the number of bytes written so far. */
export function createProgressReporter(
  report: (progress: CommandProgress) => void,
  totalBytes: () => number | null,
): (writtenBytes: number) => void {
  const began = Date.now();
  let last = 0;
  return (writtenBytes) => {
    const now = Date.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    const seconds = (now - began) / 1000;
    report({
      phase: 'write',
      bytesDone: writtenBytes,
      bytesTotal: totalBytes(),
      bytesPerSecond: seconds > 0 ? Math.round(writtenBytes / seconds) : null,
    });
  };
}
