/**
 * Removes old records: keeps deleted servers and their actions for some days, and the newest scheduling reports.
 */
import type { Store } from '../domain/store/store.ts';

const DELETED_DAYS = 30;
const DAY_MS = 86_400_000;
const REPORTS = 1_000;
/** Number of records per run; the next run removes the rest. */
const BATCH = 500;

export async function prune({ compute }: Store, now: Date): Promise<void> {
  const oldest = { limit: BATCH, sortKey: 'id', sortDir: 'asc' } as const;
  const until = now.getTime() - DELETED_DAYS * DAY_MS;
  for (const { uuid, terminatedAt } of await compute.servers.list({ vmState: 'deleted' }, oldest)) {
    if (terminatedAt === null || terminatedAt.getTime() > until) continue;
    for (const action of await compute.instanceActions.list({ serverUuid: uuid }, oldest)) {
      await compute.instanceActions.delete(action.uuid);
    }
    await compute.servers.delete(uuid);
  }
  const newest = { limit: REPORTS + BATCH, sortKey: 'id', sortDir: 'desc' } as const;
  const reports = await compute.schedulingReports.list({}, newest);
  for (const { uuid } of reports.slice(REPORTS)) await compute.schedulingReports.delete(uuid);
}
