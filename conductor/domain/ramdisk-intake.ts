/**
 * What a ramdisk says to the conductor: lookup, heartbeat, inspection data. It calls without authentication, from the
 * provisioning network.
 */
import type { Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import type { Mac } from './boot.ts';
import type { JsonObject } from './json.ts';
import type { Node } from './node.ts';

export interface LookupRequest {
  readonly macs: readonly Mac[];
  readonly nodeUuid?: string;
}

export type HeartbeatRequest = Pick<Heartbeat, 'callbackUrl' | 'token' | 'version' | 'verifyCa'>;

/** What the ramdisk found: `{inventory, ...plugin data}` on the wire. */
export interface InspectionData {
  readonly inventory: JsonObject;
  readonly pluginData: JsonObject;
  /** What the machine takes itself for. */
  readonly nodeUuid?: string;
  /** It goes on as the agent of the node without a lookup. */
  readonly opensSession?: boolean;
}

/** The node that a ramdisk runs on, and its token: in clear the first time of a boot, `******` later. */
export interface AgentStart {
  readonly node: Node;
  readonly token: string;
}

export interface RamdiskIntake {
  /** Throws notFound, with one and the same text, for unknown machines and for nodes in a state that expects no agent. */
  lookup(request: LookupRequest): Promise<AgentStart>;
  /** Throws invalidParameter for a wrong token or a changed callback URL. */
  heartbeat(nodeUuid: string, request: HeartbeatRequest): Promise<void>;
  /** The node that the data belongs to; its token is `******` also when no session was to be opened. */
  continueInspection(data: InspectionData): Promise<AgentStart>;
}
