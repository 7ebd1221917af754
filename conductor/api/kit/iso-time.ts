/**
 * Times that clients write in queries: ISO 8601 in its extended form, as OpenStack's services read it.
 *
 *   2026-11-21T11:14:27.123456+01:00
 *
 * A space is accepted instead of the T. Parts may be missing, in this order: the zone (then the time is UTC), the
 * fraction (1 to 9 digits), the seconds, the time of day, the day, the month. The zone is Z, +HH:MM, +HHMM or +HH.
 */
export interface IsoTime {
  /** Milliseconds since 1970, UTC; smaller digits are cut off. */
  readonly ms: number;
  readonly hasSeconds: boolean;
  /** The digits after the decimal point, as the client wrote them. */
  readonly fraction: string;
  readonly hasZone: boolean;
}

const TIME_OF_DAY = /(?<minute>\d\d:\d\d)(:(?<second>\d\d)(\.(?<fraction>\d{1,9}))?)?/;
const ZONE = /Z|(?<sign>[+-])(?<hours>[01]\d|2[0-3])(:?(?<minutes>[0-5]\d))?/;
const PATTERN = new RegExp(
  `^(?<year>\\d{4})(-(?<month>\\d\\d)(-(?<day>\\d\\d)([T ]${TIME_OF_DAY.source}(?<zone>${ZONE.source})?)?)?)?$`,
);

/** Undefined for a text of another form, and for dates and times that do not exist: 2026-02-30, 24:00. */
export function parseIsoTime(text: string): IsoTime | undefined {
  const parts = PATTERN.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { month = '01', day = '01', minute = '00:00', second, fraction = '', zone } = parts;
  const date = `${parts['year']}-${month}-${day}`;
  const utc = new Date(`${date}T${minute}:${second ?? '00'}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date reads a day that the month does not have as a day of the next month
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 10) !== date) return undefined;
  return {
    ms: utc.getTime() - offsetMs(parts),
    hasSeconds: second !== undefined,
    fraction,
    hasZone: zone !== undefined,
  };
}

function offsetMs({
  sign,
  hours = '0',
  minutes = '0',
}: Readonly<Record<string, string | undefined>>): number {
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -ms : ms;
}
