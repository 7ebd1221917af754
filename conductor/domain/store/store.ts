/**
 * The store that the engine and the API use. Every implementation passes the tests in
 * conductor/store/conformance.
 *
 * Durability: the writes of a call are on disk when its promise resolves.
 *
 * Atomicity: each call takes effect as a whole or not at all, and so does a transaction.
 *
 * Isolation: transactions are serializable. They have the effect of running one after the other, so what a
 * transaction has read is still true when it commits. A store may run them in parallel and repeat one that conflicts
 * with another (PostgreSQL: SQLSTATE 40001); the caller sees only the last run.
 *
 * So a write that depends on a read (check-then-write) reads in the same transaction. The work of a transaction
 * changes nothing but the store that it is given, because it may run more than once.
 *
 * Calls outside of a transaction see only committed data.
 */
import type { LeaseStore } from '../boot.ts';
import type { InspectionRule } from '../inspection-rules/rule.ts';
import type { Port } from '../node.ts';
import type {
  Allocation,
  Chassis,
  DeployTemplate,
  Portgroup,
  Runbook,
  VolumeConnector,
  VolumeTarget,
} from '../resources.ts';
import type { BmcCipherSuites } from './bmc-cipher-suites.ts';
import type { ComputeStore } from './compute.ts';
import type { HistoryStore } from './history.ts';
import type { InventoryStore } from './inventory.ts';
import type { NodeStore } from './nodes.ts';
import type { OperationStore } from './operations.ts';
import type { RecordStore } from './records.ts';
import type { RevokedTokens } from './revoked-tokens.ts';
import type { SightingStore } from './sightings.ts';

export interface Store {
  readonly compute: ComputeStore;
  readonly nodes: NodeStore;
  readonly ports: RecordStore<Port>;
  readonly portgroups: RecordStore<Portgroup>;
  readonly chassis: RecordStore<Chassis>;
  readonly deployTemplates: RecordStore<DeployTemplate>;
  readonly runbooks: RecordStore<Runbook>;
  readonly inspectionRules: RecordStore<InspectionRule>;
  readonly allocations: RecordStore<Allocation>;
  readonly volumeConnectors: RecordStore<VolumeConnector>;
  readonly volumeTargets: RecordStore<VolumeTarget>;
  readonly operations: OperationStore;
  readonly history: HistoryStore;
  readonly sightings: SightingStore;
  readonly inventory: InventoryStore;
  readonly leases: LeaseStore;
  readonly revokedTokens: RevokedTokens;
  readonly bmcCipherSuites: BmcCipherSuites;
  /**
   * All or nothing, with serializable isolation. `work` must use the store it is given, await each call, and have no
   * other effects: it may run more than once.
   */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
