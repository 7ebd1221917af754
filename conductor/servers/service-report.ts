/**
 * The conductor in the role of Nova's services: it reports regularly that it is up.
 */
import { randomUUID } from 'node:crypto';
import type { ComputeService } from '../domain/compute.ts';
import type { Store } from '../domain/store/store.ts';

export const BINARIES = [
  'nova-compute',
  'nova-scheduler',
  'nova-conductor',
] as const satisfies readonly ComputeService['binary'][];

const ONE = { limit: 1, sortKey: 'id', sortDir: 'asc' } as const;

export async function reportServices({ compute }: Store, host: string, now: Date): Promise<void> {
  for (const binary of BINARIES) {
    const [known] = await compute.computeServices.list({ binary, host }, ONE);
    if (known === undefined) {
      const record = { isDisabled: false, disabledReason: null, forcedDown: false, reportedAt: now };
      await compute.computeServices.create({ uuid: randomUUID(), binary, host, ...record }, now);
    } else {
      await compute.computeServices.update(known.uuid, { reportedAt: now }, now);
    }
  }
}
