/**
 * Live progress: on a terminal, one line that is redrawn, with finished lines above it; elsewhere, one line for each
 * change of the text.
 */
import type { Timeline } from '../lab/operator.ts';

export interface ProgressLine {
  /** Redraws the live line. */
  update(text: string): void;
  /** Prints a line that stays. */
  say(text: string): void;
  /** Ends the live line. */
  end(): void;
}

export function createProgressLine(out: NodeJS.WriteStream, now: () => number = Date.now): ProgressLine {
  const began = now();
  let live = '';
  const stamp = (): string => `${((now() - began) / 1000).toFixed(0).padStart(4)} s`;
  const clear = (): void => {
    if (out.isTTY && live !== '') out.write('\r\u001b[2K');
  };
  return {
    update(text) {
      if (text === live) return;
      clear();
      live = text;
      out.write(
        out.isTTY ? `${stamp()}  ${text}`.slice(0, (out.columns ?? 120) - 1) : `${stamp()}  ${text}\n`,
      );
    },
    say(text) {
      clear();
      live = '';
      out.write(`${stamp()}  ${text}\n`);
    },
    end() {
      if (out.isTTY && live !== '') out.write('\n');
      live = '';
    },
  };
}

const MEBI = 1024 * 1024;

/** What the node is doing now: "deploying: write_image, write 42 % at 31 MB/s". */
export function describeTimeline({ node, operations, sightings }: Timeline): string {
  const current = operations.find((one) => one.state === 'running' || one.state === 'waiting');
  const step = current?.steps.find((one) => one.state === 'running');
  if (current === undefined || step === undefined) return node.provision_state;
  const parts = [`${node.provision_state}: ${step.step}`];
  if (step.progress !== null) {
    const { phase, bytes_done: done, bytes_total: total, bytes_per_second: rate } = step.progress;
    const share =
      total === null || total === 0
        ? `${(done / MEBI).toFixed(0)} MiB`
        : `${((100 * done) / total).toFixed(0)} %`;
    parts.push(`${phase} ${share}${rate === null ? '' : ` at ${(rate / 1e6).toFixed(1)} MB/s`}`);
  } else if (current.waiting_for !== null) {
    const seen = sightings.filter((one) => one.at >= (step.started_at ?? '')).at(-1);
    parts.push(`waiting for ${current.waiting_for}${seen === undefined ? '' : ` (${seen.kind})`}`);
  }
  return parts.join(', ');
}
