/**
 * A setting of the conductor: one row, in `settings.ts` of the room that uses it. `config` puts the rows together, reads
 * values for them and makes docs/configuration.md of them.
 *
 * A setting is called `name` in the file (dots nest) and INGOT_NAME in the environment. The product gets its value by
 * the row's key and in the units it works in: durations in milliseconds, sizes in bytes.
 */
import type { DelayRange } from './delay-range.ts';
import type { HostPort } from './host-port.ts';

/** What the product gets for a value of each type; choices narrow it. */
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
}

export type SettingType = keyof ValueOf;

/** Units that are written otherwise than the product has them: milliseconds and bytes. Others are only shown. */
export const UNIT_SCALE: Readonly<Record<string, number>> = { seconds: 1000, GiB: 1024 ** 3 };

export interface Setting {
  readonly name: string;
  readonly type: SettingType;
  /** As it is written; null: not set. */
  readonly default: string | number | boolean | readonly string[] | null;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Of `default`, `min` and `max`, and of the value as it is written. */
  readonly unit?: string;
  /** Command line form, for the few that have one. */
  readonly flag?: string;
  /** Never printed. */
  readonly secret?: boolean;
  readonly help: string;
}

/** By the name that the product has for each. */
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

export const DAY_SECONDS = 86_400;
