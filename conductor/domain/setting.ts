/**
 * A setting of the conductor: one row in `settings.ts` of the room that uses it. `config` collects the rows, reads
 * their values and generates docs/configuration.md.
 *
 * A setting is called `name` in the file (dots nest) and INGOT_NAME in the environment. The code gets its value under
 * the row's key and in its own units: durations in milliseconds, sizes in bytes.
 */
import type { DelayRange } from './delay-range.ts';
import type { HostPort } from './host-port.ts';
import type { Prefix } from './ip-address.ts';

/** The type of the value for each type of setting; choices narrow it. */
interface ValueOf {
  text: string;
  path: string;
  integer: number;
  number: number;
  flag: boolean;
  choice: string;
  hostPort: HostPort;
  ipv4: string;
  url: string;
  delay: DelayRange;
  list: readonly string[];
  /** IPv4 and IPv6, written as `10.0.0.0/8`. */
  networks: readonly Prefix[];
}

export type SettingType = keyof ValueOf;

/** Factors of units that the code converts, to milliseconds and bytes. Other units are only shown. */
export const UNIT_SCALE: Readonly<Record<string, number>> = { seconds: 1000, GiB: 1024 ** 3 };

export interface Setting {
  readonly name: string;
  readonly type: SettingType;
  /** As written in the file; null: not set. */
  readonly default: string | number | boolean | readonly string[] | null;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** The unit of `default`, `min`, `max` and of the written value. */
  readonly unit?: string;
  /** Command line option, for the few settings that have one. */
  readonly flag?: string;
  /** Never printed. */
  readonly secret?: boolean;
  readonly help: string;
}

/** By the names that the code uses. */
export type Settings = Readonly<Record<string, Setting>>;

type Value<S extends Setting> = S extends { type: 'list'; choices: readonly (infer C)[] }
  ? readonly C[]
  : S extends { choices: readonly (infer C)[] }
    ? C
    : ValueOf[S['type']];

/** The values of these settings; null where the default is null. */
export type SettingValues<T extends Settings> = {
  readonly [K in keyof T]: Value<T[K]> | (T[K]['default'] extends null ? null : never);
};

/** The values of these settings alone, out of more. */
export function valuesOf<T extends Settings>(rows: T, all: SettingValues<T>): SettingValues<T> {
  const values = Object.keys(rows).map((key) => [key, all[key]]);
  return Object.fromEntries(values) as SettingValues<T>;
}

export const DAY_SECONDS = 86_400;
