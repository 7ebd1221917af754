/**
 * The record of each action on a server and its result, stored in the same transactions as the server.
 */
import { randomUUID } from 'node:crypto';
import type { InstanceAction, InstanceActionEvent, Server } from '../domain/compute.ts';
import type { Store } from '../domain/store/store.ts';
import type { Asking } from './server-request.ts';

/** Unfinished actions are among the newest. */
const NEWEST = { limit: 20, sortKey: 'id', sortDir: 'desc' } as const;

/** The result; null: success. `details` are shown only to administrators. */
export type Outcome = { readonly message: string; readonly details: string | null } | null;

export async function openAction(
  tx: Store,
  server: Pick<Server, 'uuid'>,
  spec: { readonly action: string; readonly event: string | null },
  by: Asking,
  now: Date,
): Promise<void> {
  await tx.compute.instanceActions.create(
    {
      uuid: randomUUID(),
      serverUuid: server.uuid,
      action: spec.action,
      requestId: by.requestId,
      projectId: by.tenant.projectId,
      userId: by.tenant.userId,
      message: null,
      // what has no events is done when it is stored
      finishedAt: spec.event === null ? now : null,
      events: spec.event === null ? [] : [begun(spec.event, now)],
    },
    now,
  );
}

/** Ends all unfinished actions of the server. */
export async function closeActions(
  tx: Store,
  serverUuid: string,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  for (const action of await unfinished(tx, serverUuid)) {
    const message = outcome === null ? null : 'Error';
    const events = ended(action.events, outcome, now);
    await tx.compute.instanceActions.update(action.uuid, { message, finishedAt: now, events }, now);
  }
}

/** One attempt has failed and another may follow: the action continues with a new event. */
export async function noteAttempt(tx: Store, serverUuid: string, outcome: Outcome, now: Date): Promise<void> {
  const [action] = await unfinished(tx, serverUuid);
  const event = action?.events.at(-1)?.event;
  if (action === undefined || event === undefined) return;
  const events = [...ended(action.events, outcome, now), begun(event, now)];
  await tx.compute.instanceActions.update(action.uuid, { events }, now);
}

async function unfinished(tx: Store, serverUuid: string): Promise<InstanceAction[]> {
  const newest = await tx.compute.instanceActions.list({ serverUuid }, NEWEST);
  return newest.filter(({ finishedAt }) => finishedAt === null);
}

const begun = (event: string, now: Date): InstanceActionEvent => ({
  event,
  startTime: now.toISOString(),
  finishTime: null,
  result: null,
  details: null,
});

const ended = (
  events: readonly InstanceActionEvent[],
  outcome: Outcome,
  now: Date,
): readonly InstanceActionEvent[] =>
  events.map((event) => {
    if (event.finishTime !== null) return event;
    const result = outcome === null ? 'Success' : 'Error';
    const details = outcome === null ? null : (outcome.details ?? outcome.message);
    return { ...event, finishTime: now.toISOString(), result, details };
  });
