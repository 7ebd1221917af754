import { describe, expect, it } from 'vitest';
import { createTimelinePrinter, type Timeline, type TimelineOperation } from './timeline-printer.ts';

const step = (state: string, more = {}) => ({
  interface: 'deploy',
  step: 'write_image',
  state,
  started_at: '2026-01-01T10:00:02.000+00:00',
  finished_at: null,
  progress: null,
  ...more,
});
const deploy = (more: Partial<TimelineOperation> = {}): TimelineOperation => ({
  id: 1,
  kind: 'deploy',
  state: 'running',
  started_at: '2026-01-01T10:00:00.000+00:00',
  finished_at: null,
  error: null,
  waiting_for: null,
  steps: [step('running')],
  ...more,
});
const timeline = (operation: TimelineOperation, sightings: Timeline['sightings'] = []): Timeline => ({
  node: { provision_state: 'deploying', target_provision_state: 'active', power_state: 'power on' },
  operations: [operation],
  sightings,
});

function printed(timelines: readonly Timeline[], isTTY = false): string {
  let text = '';
  const printer = createTimelinePrinter({ isTTY, write: (more) => (text += more) });
  for (const one of timelines) printer.print(one);
  return text;
}

describe('the printer', () => {
  it('prints each thing once, oldest first', () => {
    const seen = { kind: 'dhcp ack', at: '2026-01-01T10:00:01.000+00:00', bytes: null, detail: '10.0.0.9' };
    const finished = deploy({
      state: 'failed',
      error: 'disk full',
      finished_at: '2026-01-01T10:00:09.500+00:00',
      steps: [step('failed', { finished_at: '2026-01-01T10:00:09.000+00:00' })],
    });
    expect(
      printed([timeline(deploy(), [seen]), timeline(deploy(), [seen]), timeline(finished, [seen])]),
    ).toBe(
      [
        '10:00:00.000  deploy started',
        '10:00:01.000      dhcp ack, 10.0.0.9',
        '10:00:02.000    deploy.write_image',
        '10:00:09.000    deploy.write_image failed (7.0 s)',
        '10:00:09.500  deploy failed (9.5 s): disk full',
        '',
      ].join('\n'),
    );
  });

  it('redraws a progress line only on a terminal', () => {
    const progress = { phase: 'write', bytes_done: 50e6, bytes_total: 200e6, bytes_per_second: 10e6 };
    const running = timeline(deploy({ steps: [step('running', { progress })] }));
    expect(printed([running], true)).toContain('write 25% of 200.0 MB at 10.0 MB/s');
    expect(printed([running], false)).not.toContain('25%');
  });

  it('removes control characters in texts of machines', () => {
    const evil = {
      kind: 'script',
      at: '2026-01-01T10:00:01.000+00:00',
      bytes: null,
      detail: '\x1b[2Jgone\n',
    };
    expect(printed([timeline(deploy(), [evil])])).toContain('script, ?[2Jgone?');
  });
});
