/**
 * Stores events of a boot's trust: in the history of the node, and a breach also in its boot target, where the runner
 * finds it before it takes the next step.
 */
import type { BootTrust, TrustEvent } from '../domain/boot-trust.ts';
import type { Node } from '../domain/node.ts';
import type { HistoryEntry } from '../domain/store/history.ts';
import type { Store } from '../domain/store/store.ts';
import type { Logger } from './deps.ts';
import { newUuid } from './identifiers.ts';

export interface BootTrustDeps {
  readonly store: Store;
  /** Conductor host name. */
  readonly host: string;
  readonly wake: (nodeUuid: string) => void;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => Date;
}

/** Strangers can send any number of requests, and a history keeps 300 entries. */
const MOST_EVENTS_A_BOOT = 16;

/** The events of one boot that are in the history already. */
interface Reported {
  readonly boot: string | null;
  readonly events: Set<string>;
}

export function createBootTrust(deps: BootTrustDeps): BootTrust {
  const { store, logger, now } = deps;
  const reported = new Map<string, Reported>();

  function isNew(node: Node, { from, what }: TrustEvent): boolean {
    const boot = secretOf(node);
    const known = reported.get(node.uuid);
    const { events } = known?.boot === boot ? known : { events: new Set<string>() };
    reported.set(node.uuid, { boot, events });
    const event = `${from} ${what}`;
    if (events.has(event) || events.size >= MOST_EVENTS_A_BOOT) return false;
    events.add(event);
    return true;
  }

  const entry = (node: Node, event: string): HistoryEntry => ({
    uuid: newUuid(),
    nodeUuid: node.uuid,
    createdAt: now(),
    severity: 'ERROR',
    eventType: 'security',
    event,
    conductor: deps.host,
    user: null,
    project: null,
    state: node.provisionState,
    targetProvisionState: node.targetProvisionState,
    durationSeconds: null,
  });

  return {
    async refused(nodeUuid, event) {
      const node = await store.nodes.find(nodeUuid);
      if (node === undefined || !isNew(node, event)) return;
      const text = `${event.what} came from ${event.from} and was refused`;
      logger.warn({ node: nodeUuid, from: event.from }, text);
      await store.history.add(entry(node, text));
    },

    async breached(nodeUuid, event) {
      const text = `${event.what} came from ${event.from}: another machine may have this machine's boot secret`;
      const isFirst = await store.transaction(async (tx) => {
        const node = await tx.nodes.find(nodeUuid);
        if (node?.bootTarget?.kind !== 'ramdisk' || node.bootTarget.breach !== undefined) return false;
        await tx.nodes.update(nodeUuid, { bootTarget: { ...node.bootTarget, breach: text } }, now());
        await tx.history.add(entry(node, text));
        return true;
      });
      if (!isFirst) return;
      logger.warn({ node: nodeUuid, from: event.from }, text);
      deps.wake(nodeUuid);
    },
  };
}

const secretOf = ({ bootTarget }: Node): string | null =>
  bootTarget?.kind === 'ramdisk' ? (bootTarget.bootSecret ?? null) : null;
