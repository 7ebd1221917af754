/**
 * What the conductor saw of a machine's boots, as text: shown when its serial console is not recorded.
 */
import type { BootSighting } from '../../domain/boot.ts';

const HEADING = 'The serial console of this machine is not recorded. Its boots as the conductor saw them:';

/** @param lines so many of the newest, without a line end after the last; null: all */
export function bootLog(sightings: readonly BootSighting[], lines: number | null): string {
  const written = sightings.map(({ at, kind, mac, bytes, detail }) => {
    const amount = bytes === undefined ? undefined : `${bytes} bytes`;
    const parts = [at.toISOString(), kind, mac, detail, amount];
    return parts.filter((part) => part !== undefined && part !== '').join('  ');
  });
  const all = [HEADING, ...written];
  return lines === null ? `${all.join('\n')}\n` : all.slice(Math.max(0, all.length - lines)).join('\n');
}
