/**
 * Inspection data of a ramdisk: which node it is about, whether it may be believed, and how it reaches the inspection.
 * Data that is refused fails the inspection with the reason. A boot brings inspection data once.
 */
import { checkInspection, MOST_INTERFACES } from '@ingot/shared/agent/inspection-check.ts';
import { decodeInventory } from '@ingot/shared/agent/inventory-facts.ts';
import { type Mac, parseMac } from '../domain/boot.ts';
import { IngotError } from '../domain/errors.ts';
import { INSPECTION_PROBLEM } from '../domain/inspection-problem.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import type { InspectionData } from '../domain/ramdisk-intake.ts';
import type { Inventory } from '../domain/store/inventory.ts';
import { listAll } from '../domain/store/page.ts';
import type { Store } from '../domain/store/store.ts';

export interface InspectionIntake {
  /** The node that waits for this data. Throws notFound if there is none. */
  nodeOf(data: InspectionData): Promise<Node>;
  /** Hands the data, or the reason why it is refused, to the inspection. Throws when it is refused. */
  keep(node: Node, data: InspectionData): Promise<void>;
}

export interface InspectionIntakeDeps {
  readonly store: Pick<Store, 'nodes' | 'ports' | 'transaction'>;
  readonly logger: { warn(fields: object, message: string): void };
  readonly notFound: () => IngotError;
  readonly now: () => Date;
  readonly wake: (nodeUuid: string) => void;
}

type Verdict =
  | { readonly ok: true; readonly data: Inventory }
  /** `answer` is for the agent. It may be a stranger, so it does not learn of other nodes. */
  | { readonly ok: false; readonly reason: string; readonly answer: IngotError };

export function createInspectionIntake(deps: InspectionIntakeDeps): InspectionIntake {
  const { store, logger, notFound } = deps;

  async function othersWith(node: Node, macs: readonly Mac[]): Promise<string[]> {
    const others = (await store.nodes.findByMacs(macs)).filter(({ uuid }) => uuid !== node.uuid);
    const named = others.map(async ({ uuid, name }) => {
      const ports = await listAll(store.ports, { nodeUuid: uuid });
      const shared = ports.map(({ address }) => address).filter((address) => macs.includes(address));
      return `${shared.join(', ')}, of node ${uuid}${name === null ? '' : ` (${name})`}`;
    });
    return Promise.all(named);
  }

  async function judge(node: Node, data: InspectionData): Promise<Verdict> {
    const checked = checkInspection(data);
    if (!checked.ok) {
      const reason = `the inspection data was refused: ${checked.reason}`;
      return { ok: false, reason, answer: new IngotError('invalidParameter', reason) };
    }
    const others = await othersWith(node, macsOf(data.inventory));
    if (others.length === 0) return { ok: true, data: checked.value };
    const reason = `the inspection data was refused: the machine has MAC addresses of ports of other nodes: ${others.join('; ')}. Remove wrong ports, or find out who sends this data`;
    return { ok: false, reason, answer: notFound() };
  }

  return {
    async nodeOf({ inventory, nodeUuid }) {
      const node =
        nodeUuid === undefined ? await byAddress(macsOf(inventory)) : await store.nodes.find(nodeUuid);
      if (node === undefined || !waits(node)) throw notFound();
      return node;
    },

    async keep(node, data) {
      const verdict = await judge(node, data);
      const now = deps.now();
      await store.transaction(async (tx) => {
        const current = await tx.nodes.get(node.uuid);
        // The operation may have been aborted in the meantime, or another request may have brought the data.
        if (!waits(current)) throw notFound();
        if (verdict.ok) await tx.inventory.put(node.uuid, verdict.data, now);
        const { [INSPECTION_PROBLEM]: _, ...info } = current.driverInternalInfo;
        const driverInternalInfo = verdict.ok ? info : { ...info, [INSPECTION_PROBLEM]: verdict.reason };
        await tx.nodes.update(node.uuid, { inspectionFinishedAt: now, driverInternalInfo }, now);
      });
      deps.wake(node.uuid);
      if (verdict.ok) return;
      logger.warn({ node: node.uuid, reason: verdict.reason }, 'inspection data is refused');
      throw verdict.answer;
    },
  };

  /** Several nodes may have these addresses; then it is the one that waits for an inspection. */
  async function byAddress(macs: readonly Mac[]): Promise<Node | undefined> {
    const nodes = await store.nodes.findByMacs(macs);
    const waiting = nodes.filter(waits);
    return waiting.length === 1 ? waiting[0] : undefined;
  }
}

const waits = ({ provisionState, inspectionFinishedAt }: Node): boolean =>
  provisionState === 'inspect wait' && inspectionFinishedAt === null;

/** Data with more addresses is refused, so no more of them need to be looked at. */
function macsOf(inventory: JsonObject): Mac[] {
  const { addresses, bootAddress } = decodeInventory(inventory);
  const all = [...(bootAddress === undefined ? [] : [bootAddress]), ...addresses];
  return all.slice(0, MOST_INTERFACES + 1).flatMap((address) => parseMac(address) ?? []);
}
