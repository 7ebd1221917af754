/**
 * Changes of a server's record: only as its stored state allows at that moment, together with its actions, in one
 * transaction. Running work learns here that another verb was requested in the meantime.
 */
import type { Server, TaskState } from '../domain/compute.ts';
import type { RecordPatch } from '../domain/resources.ts';
import type { Store } from '../domain/store/store.ts';
import { closeActions, noteAttempt, type Outcome, openAction } from './instance-actions.ts';
import type { Asking } from './server-request.ts';
import { checkVerb, SERVER_VERBS, type ServerVerb, type VerbSpec } from './server-states.ts';

export type ServerPatch = RecordPatch<Server>;

export interface ServerRecords {
  /** Stores that the verb has begun. Throws like checkVerb. */
  begin(verb: ServerVerb, uuid: string, by: Asking, patch?: ServerPatch): Promise<Server>;
  /** Stores the next step of the work at `task`; undefined when other work has begun by now. */
  advance(uuid: string, task: TaskState, patch: ServerPatch): Promise<Server | undefined>;
  /** One attempt has failed: like advance, and recorded in the actions. */
  retry(uuid: string, task: TaskState, patch: ServerPatch, outcome: Outcome): Promise<Server | undefined>;
  /** Ends the actions of a verb that stores no task state. */
  close(uuid: string, outcome: Outcome): Promise<void>;
  /** The work at `task` has ended; ends its action, too. */
  end(uuid: string, task: TaskState, patch: ServerPatch, outcome: Outcome): Promise<Server | undefined>;
}

export function createServerRecords(deps: {
  readonly store: Store;
  readonly now: () => Date;
}): ServerRecords {
  const { store, now } = deps;

  async function changing(
    uuid: string,
    task: TaskState,
    patch: ServerPatch,
    also: (tx: Store) => Promise<void>,
  ): Promise<Server | undefined> {
    return store.transaction(async (tx) => {
      const server = await tx.compute.servers.find(uuid);
      if (server?.taskState !== task) return undefined;
      await also(tx);
      return tx.compute.servers.update(uuid, patch, now());
    });
  }

  return {
    begin: (verb, uuid, by, patch = {}) =>
      store.transaction(async (tx) => {
        const server = await tx.compute.servers.get(uuid);
        checkVerb(verb, server, by.tenant);
        const spec: VerbSpec = SERVER_VERBS[verb];
        const at = now();
        if (spec.task !== null) {
          const message = `${spec.action} was asked for meanwhile`;
          await closeActions(tx, uuid, { message, details: null }, at);
        }
        await openAction(tx, server, spec, by, at);
        const task = spec.task === null ? {} : { taskState: spec.task };
        return tx.compute.servers.update(uuid, { ...patch, ...task }, at);
      }),

    advance: (uuid, task, patch) => changing(uuid, task, patch, async () => undefined),

    retry: (uuid, task, patch, outcome) =>
      changing(uuid, task, patch, (tx) => noteAttempt(tx, uuid, outcome, now())),

    close: (uuid, outcome) => store.transaction((tx) => closeActions(tx, uuid, outcome, now())),

    end: (uuid, task, patch, outcome) =>
      changing(uuid, task, { taskState: null, ...patch }, (tx) => closeActions(tx, uuid, outcome, now())),
  };
}
