/**
 * Events of a node, for operators to read.
 */
export interface HistoryEntry {
  readonly uuid: string;
  readonly nodeUuid: string;
  readonly createdAt: Date;
  readonly severity: 'ERROR' | 'INFO';
  /** The kind of work: `deploying`, `power`, ... */
  readonly eventType: string;
  readonly event: string;
  readonly conductor: string;
  /** The caller's name, and the id of the caller's project. */
  readonly user: string | null;
  readonly project: string | null;
  /** The state of the node that this event ended, and how long the node was in it. */
  readonly state: string | null;
  readonly targetProvisionState: string | null;
  readonly durationSeconds: number | null;
}

export interface HistoryStore {
  /** Keeps only the newest 300 entries of a node. */
  add(entry: HistoryEntry): Promise<void>;
  find(nodeUuid: string, uuid: string): Promise<HistoryEntry | undefined>;
  list(nodeUuid: string, page: { readonly limit: number; readonly marker?: string }): Promise<HistoryEntry[]>;
}
