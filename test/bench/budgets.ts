/** The limits of budgets.json, for the conditions that it names. */
import { readFileSync } from 'node:fs';

export interface Budgets {
  /** Number of connections at which the ratios are judged. */
  readonly connections: number;
  readonly nodes: number;
  /** Figure -> required multiple of Ironic's rate. */
  readonly timesIronic: Readonly<Record<string, number>>;
  readonly heartbeatP99Ms: number;
  readonly thousandDeploysSeconds: number;
  readonly startMs: number;
  readonly residentIdleMib: number;
  readonly resident10000NodesMib: number;
  readonly scheduler: {
    readonly hosts: number;
    /** Instances in one request -> limit. */
    readonly selectP99Ms: Readonly<Record<1 | 20, number>>;
  };
}

export const budgets: Budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));
