/**
 * Reports of requests that a stranger may have sent in place of a machine or its agent.
 */
export interface BootTrust {
  /** An event in the node's history, once for each kind and sender in a boot. Nothing was given away. */
  refused(nodeUuid: string, event: TrustEvent): Promise<void>;
  /** Somebody else may have the boot secret: an event in the history, and the operation fails with it. */
  breached(nodeUuid: string, event: TrustEvent): Promise<void>;
}

export interface TrustEvent {
  /** The source address of the request. */
  readonly from: string;
  /** `a lookup without the boot secret`: a noun phrase. */
  readonly what: string;
}
