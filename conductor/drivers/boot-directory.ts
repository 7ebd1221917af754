/**
 * Decides from the store what a machine boots. There are no configuration files that could become stale.
 */
import type {
  BootClient,
  BootDecision,
  BootDirectory,
  KernelParam,
  ScriptClient,
  ScriptDecision,
} from '../domain/boot.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import type { Node, RamdiskTarget } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';
import { bootSecretParam } from './agent-params.ts';

export interface BootDirectoryDeps {
  readonly store: Pick<Store, 'nodes' | 'ports' | 'transaction'>;
  readonly trust: BootTrust;
  readonly now: () => Date;
}

export function createBootDirectory({ store, trust, now }: BootDirectoryDeps): BootDirectory {
  return {
    async decide(client) {
      const node = await nodeOf(store, client);
      return node === undefined ? { kind: 'unknown' } : decisionFor(node);
    },

    async decideScript(client) {
      const node = await nodeOf(store, client);
      if (node === undefined) return { kind: 'unknown' };
      const { bootTarget } = node;
      if (bootTarget?.kind !== 'ramdisk' || bootTarget.bootSecret === undefined) return decisionFor(node);
      const objection = await objectionTo(node, bootTarget, client);
      if (objection === undefined) return withSecret(node, bootTarget, bootTarget.bootSecret);
      await trust.breached(node.uuid, { from: client.address, what: objection });
      return { kind: 'refused' };
    },
  };

  /** Why this request can not be the machine's own; undefined if it can. */
  async function objectionTo(
    node: Node,
    target: RamdiskTarget,
    { address, leased }: ScriptClient,
  ): Promise<string | undefined> {
    if (target.breach !== undefined) return 'one more request for the boot script';
    if (node.agent?.token != null) return 'a request for the boot script, after the agent had called,';
    if (leased === undefined) return otherThanFirst(node.uuid, address);
    return leased === address
      ? undefined
      : `a request for the boot script, from an address that is not the machine's${leased === null ? '' : ` ${leased}`},`;
  }

  /** Without our own leases, the first address that asks is taken for the machine's. */
  async function otherThanFirst(nodeUuid: string, address: string): Promise<string | undefined> {
    return store.transaction(async (tx) => {
      const { bootTarget: target } = await tx.nodes.get(nodeUuid);
      if (target?.kind !== 'ramdisk') return 'a late request for the boot script';
      if (target.bootAddress === undefined)
        await tx.nodes.update(nodeUuid, { bootTarget: { ...target, bootAddress: address } }, now());
      return target.bootAddress === undefined || target.bootAddress === address
        ? undefined
        : `a request for the boot script, which ${target.bootAddress} has asked for,`;
    });
  }
}

/** The node of a machine has a port that may boot from the network. */
async function nodeOf(
  store: Pick<Store, 'nodes' | 'ports'>,
  client: Pick<BootClient, 'mac'>,
): Promise<Node | undefined> {
  const [port] = await store.ports.list({ address: client.mac }, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  return port?.pxeEnabled ? store.nodes.find(port.nodeUuid) : undefined;
}

/** A node with an instance boots its disk whatever its boot order is. */
export function decisionFor(node: Node): BootDecision {
  const nodeUuid = node.uuid;
  if (node.bootTarget?.kind === 'ramdisk') {
    return { kind: 'ramdisk', nodeUuid, kernelParams: node.bootTarget.kernelParams };
  }
  if (node.bootTarget?.kind === 'disk' || node.provisionState === 'active') return { kind: 'disk', nodeUuid };
  return { kind: 'nothing', nodeUuid };
}

const withSecret = ({ uuid: nodeUuid }: Node, target: RamdiskTarget, secret: string): ScriptDecision => ({
  kind: 'ramdisk',
  nodeUuid,
  kernelParams: [...target.kernelParams, bootSecretParam(secret) as KernelParam],
});
