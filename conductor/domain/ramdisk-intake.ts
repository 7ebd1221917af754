/**
 * Requests of a ramdisk to the conductor: lookup, heartbeat, inspection data. They come without authentication from
 * the provisioning network.
 */
import type { BootProof } from '@ingot/shared/agent/boot-proof.ts';
import type { Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import type { Mac } from './boot.ts';
import type { JsonObject } from './json.ts';
import type { Node } from './node.ts';

/** Who sends a request of a ramdisk. */
export interface RamdiskSender {
  /** The source address of the request. */
  readonly source: string;
  /** Undefined for agents of the old protocol. */
  readonly proof?: BootProof & { readonly bodyDigest: string };
}

export interface LookupRequest extends RamdiskSender {
  readonly macs: readonly Mac[];
  readonly nodeUuid?: string;
  /** PEM of the agent's certificate; with a proof. */
  readonly certificate?: string;
}

export type HeartbeatRequest = Pick<Heartbeat, 'callbackUrl' | 'token' | 'version' | 'verifyCa'> &
  RamdiskSender;

/** Inspection data; `{inventory, ...plugin data}` on the wire. */
export interface InspectionData extends RamdiskSender {
  readonly inventory: JsonObject;
  readonly pluginData: JsonObject;
  /** The node that the ramdisk names, if any. */
  readonly nodeUuid?: string;
  /** The ramdisk continues as the agent of the node without a lookup. */
  readonly opensSession?: boolean;
}

/** The node of a ramdisk and its agent token: in clear the first time in a boot, then `******`. */
export interface AgentStart {
  readonly node: Node;
  readonly token: string;
}

export interface RamdiskIntake {
  /** For the next request of an agent that proves its boot. */
  newNonce(): string;
  /**
   * Throws notFound, always with the same text, for unknown machines and for nodes in a state that expects no agent.
   */
  lookup(request: LookupRequest): Promise<AgentStart>;
  /** Throws invalidParameter for a wrong token, and for a callback URL that changed or is not the machine's own. */
  heartbeat(nodeUuid: string, request: HeartbeatRequest): Promise<void>;
  /**
   * Checks the data and hands it to the inspection of its node, once a boot. The inspection fails if the data is refused.
   * The node of the data. Its token is `******` unless a session was opened. */
  continueInspection(data: InspectionData): Promise<AgentStart>;
}
