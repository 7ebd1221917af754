/**
 * The table at the end of the demo: every step from power-on to login with seconds and bytes.
 */
import type { Timeline } from '../lab/operator.ts';

interface Row {
  readonly at: number;
  readonly what: string;
  readonly seconds: number | null;
  readonly bytes: number | null;
  readonly detail: string;
}

export function timelineTable(
  timeline: Timeline,
  login: { readonly at: Date; readonly text: string },
): string {
  const rows = [...stepRows(timeline), ...sightingRows(timeline)].sort((a, b) => a.at - b.at);
  const first = rows[0]?.at ?? login.at.getTime();
  const all = [
    ...rows,
    { at: login.at.getTime(), what: 'login prompt', seconds: null, bytes: null, detail: login.text },
  ];
  const cells = all.map((row) => [
    ((row.at - first) / 1000).toFixed(1),
    row.what,
    row.seconds === null ? '' : row.seconds.toFixed(1),
    row.bytes === null ? '' : row.bytes.toLocaleString('en-US'),
    row.detail,
  ]);
  const table = [['at s', 'step', 'took s', 'bytes', ''], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map((row) =>
      row
        .map((cell, i) => (i === 1 || i === 4 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function stepRows({ operations }: Timeline): Row[] {
  return operations.flatMap((operation) =>
    operation.steps
      .filter((step) => step.started_at !== null)
      .map((step) => ({
        at: Date.parse(step.started_at!),
        what: `${operation.kind}: ${step.step}`,
        seconds:
          step.finished_at === null
            ? null
            : (Date.parse(step.finished_at) - Date.parse(step.started_at!)) / 1000,
        bytes: step.progress?.bytes_done ?? null,
        detail: step.state === 'done' ? '' : step.state,
      })),
  );
}

/** Firmware repeats requests; only the first sighting of a kind within a boot counts. */
function sightingRows({ sightings }: Timeline): Row[] {
  const seen = new Set<string>();
  return sightings.flatMap((one) => {
    if (one.kind === 'power on') seen.clear();
    if (seen.has(one.kind)) return [];
    seen.add(one.kind);
    return [
      {
        at: Date.parse(one.at),
        what: `    ${one.kind}`,
        seconds: null,
        bytes: one.bytes,
        detail: one.detail ?? '',
      },
    ];
  });
}
