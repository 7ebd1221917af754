/**
 * Rows of the benchmark's table, printed as they come and compared with the budgets.
 */
import { budgets } from './budgets.ts';
import type { Figure } from './measure.ts';

const WIDTHS = [24, 6, 6, 10, 10, 8, 8, 8, 17, 17, 17];
const HEAD = [
  ...['figure', 'conns', 'nodes', 'ours/s', 'Ironic/s', 'ratio', 'budget', ''],
  ...['ours p50/p99 ms', 'Ironic p50/p99', 'CPU ms each'],
];

export interface Report {
  head(): void;
  /** `ironic` is missing when only ours is measured. */
  row(name: string, connections: number, nodes: number, ours: Figure, ironic: Figure | undefined): void;
  /** A figure with a limit, such as a duration or size. */
  limit(name: string, unit: string, ours: number, ironic: number | undefined, budget: number): void;
  /** Budgets that are missed. */
  readonly missed: readonly string[];
}

const short = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
const line = (cells: readonly string[]): void =>
  console.log(cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join(' '));
const latency = (figure: Figure | undefined): string =>
  figure === undefined ? '' : `${short(figure.p50Ms)} / ${short(figure.p99Ms)}`;

export function createReport(): Report {
  const missed: string[] = [];
  const judge = (name: string, isMet: boolean): string => {
    if (!isMet) missed.push(name);
    return isMet ? 'ok' : 'MISSED';
  };

  return {
    missed,
    head: () => line(HEAD),

    row(name, connections, nodes, ours, ironic) {
      const ratio = ironic && ours.perSecond / ironic.perSecond;
      const counts = connections === budgets.connections && nodes === budgets.nodes;
      const budget = counts ? budgets.timesIronic[name] : undefined;
      const judged = budget !== undefined && ratio !== undefined;
      line([
        ...[name, String(connections), String(nodes)],
        ...[short(ours.perSecond), ironic === undefined ? '' : short(ironic.perSecond)],
        ratio === undefined ? '' : `${short(ratio)}x`,
        budget === undefined ? '' : `${budget}x`,
        judged ? judge(name, ratio >= budget) : '',
        ...[latency(ours), latency(ironic)],
        ironic === undefined ? ours.cpuMs.toFixed(2) : `${ours.cpuMs.toFixed(2)} / ${short(ironic.cpuMs)}`,
      ]);
      for (const [side, { refused }] of Object.entries({ ours, ...(ironic && { ironic }) })) {
        if (Object.keys(refused).length > 0) console.log(`  not 2xx, ${side}: ${JSON.stringify(refused)}`);
      }
      if (name === 'heartbeat' && counts) {
        this.limit('heartbeat p99', 'ms', ours.p99Ms, ironic?.p99Ms, budgets.heartbeatP99Ms);
      }
    },

    limit(name, unit, ours, ironic, budget) {
      const theirs = ironic === undefined ? '' : short(ironic);
      const ratio = ironic === undefined ? '' : `${short(ironic / ours)}x`;
      const head = [`${name}, ${unit}`, '', '', short(ours), theirs, ratio];
      line([...head, `<= ${budget}`, judge(name, ours <= budget)]);
    },
  };
}
