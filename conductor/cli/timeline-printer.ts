/**
 * Prints a timeline as it grows: each operation, step and boot sighting once and, on a terminal, a last line that shows
 * the current progress.
 */
export interface Timeline {
  readonly node: {
    readonly provision_state: string;
    readonly target_provision_state: string | null;
    readonly power_state: string | null;
  };
  readonly operations: readonly TimelineOperation[];
  readonly sightings: readonly TimelineSighting[];
}

export interface TimelineOperation {
  readonly id: number;
  readonly kind: string;
  readonly state: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly error: string | null;
  readonly waiting_for: string | null;
  readonly steps: readonly TimelineStep[];
}

interface TimelineStep {
  readonly interface: string;
  readonly step: string;
  readonly state: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly progress: TimelineProgress | null;
}

interface TimelineProgress {
  readonly phase: string;
  readonly bytes_done: number;
  readonly bytes_total: number | null;
  readonly bytes_per_second: number | null;
}

interface TimelineSighting {
  readonly kind: string;
  readonly at: string;
  readonly bytes: number | null;
  readonly detail: string | null;
}

/** The part of a terminal or pipe that the printer uses. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface TimelinePrinter {
  /** True while nothing was printed. */
  readonly isEmpty: boolean;
  print(timeline: Timeline): void;
  /** Replaces the progress line by a last line. */
  end(text: string): void;
}

interface Line {
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

export function createTimelinePrinter(output: Output): TimelinePrinter {
  const printed = new Set<string>();
  let live = '';

  const clearLive = () => {
    if (live !== '') output.write('\r\x1b[2K');
    live = '';
  };

  return {
    get isEmpty() {
      return printed.size === 0;
    },
    print(timeline) {
      const fresh = linesOf(timeline).filter(({ key }) => !printed.has(key));
      const next = output.isTTY ? liveLine(timeline) : '';
      if (fresh.length === 0 && next === live) return;
      clearLive();
      for (const { key, at, text } of fresh) {
        printed.add(key);
        output.write(`${clock(at)}  ${printable(text)}\n`);
      }
      if (next !== '') output.write(next);
      live = next;
    },
    end(text) {
      clearLive();
      output.write(`${printable(text)}\n`);
    },
  };
}

/** All events, oldest first. */
function linesOf({ operations, sightings }: Timeline): Line[] {
  return [...operations.flatMap(operationLines), ...sightings.map(sightingLine)].toSorted((a, b) =>
    a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
  );
}

function operationLines(operation: TimelineOperation): Line[] {
  const { id, kind } = operation;
  const lines: Line[] = [{ key: `o${id}`, at: operation.started_at, text: `${kind} started` }];
  for (const [index, step] of operation.steps.entries()) {
    const name = `${step.interface}.${step.step}`;
    if (step.started_at !== null) {
      lines.push({ key: `o${id}s${index}`, at: step.started_at, text: `  ${name}` });
    }
    if (step.finished_at !== null) {
      const took = seconds(step.started_at ?? step.finished_at, step.finished_at);
      lines.push({ key: `o${id}f${index}`, at: step.finished_at, text: `  ${name} ${step.state} (${took})` });
    }
  }
  if (operation.finished_at !== null) {
    const took = seconds(operation.started_at, operation.finished_at);
    const why = operation.error === null ? '' : `: ${operation.error}`;
    lines.push({
      key: `o${id}e`,
      at: operation.finished_at,
      text: `${kind} ${operation.state} (${took})${why}`,
    });
  }
  return lines;
}

function sightingLine({ kind, at, bytes, detail }: TimelineSighting): Line {
  const size = bytes === null ? '' : `, ${megabytes(bytes)}`;
  return {
    key: `b${at}${kind}${detail}`,
    at,
    text: `    ${kind}${size}${detail === null ? '' : `, ${detail}`}`,
  };
}

/** The progress line: the running step with its progress, or what the operation waits for. */
function liveLine({ operations, node }: Timeline): string {
  const current = operations.find(({ finished_at }) => finished_at === null);
  if (current === undefined) return '';
  const step = current.steps.find(({ state }) => state === 'running');
  const progress = step?.progress == null ? '' : progressText(step.progress);
  const waiting = current.waiting_for === null ? '' : `waiting for ${current.waiting_for}`;
  const parts = [node.provision_state, step?.step ?? '', progress, waiting].filter((part) => part !== '');
  return printable(`> ${parts.join(' | ')}`).slice(0, 150);
}

function progressText({ phase, bytes_done, bytes_total, bytes_per_second }: TimelineProgress): string {
  const rate = bytes_per_second === null ? '' : ` at ${megabytes(bytes_per_second)}/s`;
  if (bytes_total === null || bytes_total === 0) return `${phase} ${megabytes(bytes_done)}${rate}`;
  const percent = Math.floor((bytes_done / bytes_total) * 100);
  return `${phase} ${percent}% of ${megabytes(bytes_total)}${rate}`;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const clock = (at: string): string => at.slice(11, 23);
const seconds = (from: string, to: string): string =>
  `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
/** Replaces control characters, so that text from a machine cannot control the terminal. */
const printable = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, '?');
