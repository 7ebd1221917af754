/**
 * What happened to a node, for people to read.
 */
export interface HistoryEntry {
  readonly uuid: string;
  readonly nodeUuid: string;
  readonly createdAt: Date;
  readonly severity: 'ERROR' | 'INFO';
  /** What was going on: `deploying`, `power`, ... */
  readonly eventType: string;
  readonly event: string;
  readonly conductor: string;
  /** Who asked for it: name, and id of the project. */
  readonly user: string | null;
  readonly project: string | null;
  /** Of the node, until then; and how long it had been so. */
  readonly state: string | null;
  readonly targetProvisionState: string | null;
  readonly durationSeconds: number | null;
}

export interface HistoryStore {
  /** Keeps the newest 300 of a node. */
  add(entry: HistoryEntry): Promise<void>;
  find(nodeUuid: string, uuid: string): Promise<HistoryEntry | undefined>;
  list(nodeUuid: string, page: { readonly limit: number; readonly marker?: string }): Promise<HistoryEntry[]>;
}
