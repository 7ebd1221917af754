/**
 * Requests of a ramdisk to the conductor: lookup, heartbeat, inspection data. They come without authentication from
 * the provisioning network.
 */
import type { Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import type { Mac } from './boot.ts';
import type { JsonObject } from './json.ts';
import type { Node } from './node.ts';

export interface LookupRequest {
  readonly macs: readonly Mac[];
  readonly nodeUuid?: string;
}

export interface HeartbeatRequest extends Pick<Heartbeat, 'callbackUrl' | 'token' | 'version' | 'verifyCa'> {
  /** The address that it came from. */
  readonly source: string;
}

/** Inspection data; `{inventory, ...plugin data}` on the wire. */
export interface InspectionData {
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
  /**
   * Throws notFound, always with the same text, for unknown machines and for nodes in a state that expects no agent.
   */
  lookup(request: LookupRequest): Promise<AgentStart>;
  /** Throws invalidParameter for a wrong token, and for a callback URL that changed or is not the machine's own. */
  heartbeat(nodeUuid: string, request: HeartbeatRequest): Promise<void>;
  /** The node of the data. Its token is `******` unless a session was opened. */
  continueInspection(data: InspectionData): Promise<AgentStart>;
}
