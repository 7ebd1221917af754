/**
 * What the engine and the API need from a store. Everything that matters is in it before it
 * happens. Implementations pass the same conformance suite.
 */
import type { BootSighting, LeaseStore, Mac } from './boot.ts';
import type {
  Aggregate,
  ComputeService,
  Flavor,
  Image,
  InstanceAction,
  IpAllocation,
  Keypair,
  Network,
  NetworkPort,
  SchedulingReport,
  Server,
  ServerGroup,
  Subnet,
} from './compute.ts';
import type { InspectionRule } from './inspection-rules/rule.ts';
import type { JsonObject } from './json.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch, Port } from './node.ts';
import type { Operation, OperationKind, OperationState } from './operations.ts';
import type {
  Allocation,
  Chassis,
  DeployTemplate,
  NewRecord,
  Portgroup,
  Recorded,
  RecordPatch,
  Runbook,
  VolumeConnector,
  VolumeTarget,
} from './resources.ts';
import type { ProvisionState } from './states.ts';
import type { Step, StepProgress, StepState } from './steps.ts';

export interface Page {
  readonly limit: number;
  /** uuid of the last row of the page before. */
  readonly marker?: string;
  /** A column of the resource in camelCase; `id` is creation order. */
  readonly sortKey: string;
  readonly sortDir: 'asc' | 'desc';
}

export interface NodeFilter {
  readonly provisionState?: ProvisionState;
  readonly driver?: string;
  readonly maintenance?: boolean;
  readonly retired?: boolean;
  /** Has an instance_uuid. */
  readonly associated?: boolean;
  readonly instanceUuid?: string;
  readonly resourceClass?: string;
  readonly conductorGroup?: string;
  readonly fault?: string;
  readonly chassisUuid?: string;
  readonly owner?: string;
  readonly lessee?: string;
  readonly shards?: readonly string[];
  readonly sharded?: boolean;
  readonly parentNode?: string;
  /** Has a parent. */
  readonly child?: boolean;
  readonly instanceName?: string;
  readonly descriptionContains?: string;
  /** owner or lessee. */
  readonly project?: string;
}

export interface NodeStore {
  /** Throws IngotError('conflict') naming uuid, name or instance_uuid when taken. */
  create(node: NewNode, now: Date): Promise<Node>;
  /** By uuid or name. */
  find(ident: string): Promise<Node | undefined>;
  /**
   * As `find`, and may see what another call has written and is not yet on disk. Only for work that ends with a
   * write of its own before anybody hears of it: when that is on disk, all it has seen is.
   */
  peek(ident: string): Promise<Node | undefined>;
  list(filter: NodeFilter, page: Page): Promise<Node[]>;
  /** For showing: these fields of the nodes and no other, secrets masked. */
  listShown<F extends keyof Node>(
    filter: NodeFilter,
    page: Page,
    fields: readonly F[],
  ): Promise<Pick<Node, F>[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the node as stored. */
  update(uuid: string, patch: NodePatch, now: Date): Promise<Node>;
  /** Takes ports, operations, history, sightings, leases, inventory and secrets with it. */
  delete(uuid: string): Promise<void>;
  /** How many nodes each shard has, null for those in none; most first. */
  shards(): Promise<{ readonly name: string | null; readonly count: number }[]>;
  /** Nodes having any of these MACs among their ports, without duplicates. */
  findByMacs(macs: readonly Mac[]): Promise<Node[]>;
  /** Hot path: gives the agent of this boot its token, of which there is one. False when there is one already. */
  openSession(uuid: string, token: string, now: Date): Promise<boolean>;
  /** Hot path: stores url, version, CA and time of a heartbeat, durably. */
  heartbeat(uuid: string, session: Omit<AgentSession, 'token'>, now: Date): Promise<void>;
  /** Takes the node if nobody holds it, or if it is held by `owner` itself past its deadline. */
  hold(uuid: string, holder: Holder): Promise<boolean>;
  release(uuid: string, owner: string): Promise<void>;
  /** At start: drops every hold of this owner; returns the uuids. */
  releaseAll(owner: string): Promise<string[]>;
}

/** Whose records, by the node they belong to. */
export interface RecordScope {
  /** Owner or lessee of the node; owner of a record that has one itself. */
  readonly project?: string | undefined;
  readonly shards?: readonly string[] | undefined;
  readonly conductorGroups?: readonly string[] | undefined;
  readonly descriptionContains?: string | undefined;
}

/** A kind of resource in the store. */
export interface RecordStore<T extends Recorded> {
  /** Throws IngotError('conflict') when a value that may exist only once is taken, 'notFound' for a missing owner. */
  create(record: NewRecord<T>, now: Date): Promise<T>;
  /** By uuid, or by name where the resource has one. */
  find(ident: string): Promise<T | undefined>;
  /**
   * Records that have all these values; with `project`, only those that it owns, or that hang on a node which it
   * owns or leases.
   */
  list(filter: Partial<T>, page: Page, of?: RecordScope): Promise<T[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the record as stored. */
  update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  delete(uuid: string): Promise<void>;
}

export interface NewOperation {
  readonly nodeUuid: string;
  readonly kind: OperationKind;
  readonly args: JsonObject;
  readonly steps: readonly Step[];
}

export interface OperationPatch {
  readonly state?: OperationState;
  readonly cursor?: number;
  readonly waitingFor?: string | null;
  readonly deadline?: Date | null;
  readonly wakeAt?: Date | null;
  readonly abortRequested?: boolean;
  readonly error?: string | null;
  readonly finishedAt?: Date | null;
}

export interface StepPatch {
  readonly state?: StepState;
  readonly startedAt?: Date | null;
  readonly finishedAt?: Date | null;
  readonly progress?: StepProgress | null;
  readonly memo?: JsonObject;
}

export interface OperationStore {
  create(operation: NewOperation, now: Date): Promise<Operation>;
  find(id: number): Promise<Operation | undefined>;
  /** The operation of this node that is running or waiting. There is at most one. */
  current(nodeUuid: string): Promise<Operation | undefined>;
  /** Newest first. */
  list(nodeUuid: string, limit: number): Promise<Operation[]>;
  /** All that are running or waiting: what recovery looks at. */
  unfinished(): Promise<Operation[]>;
  update(id: number, patch: OperationPatch): Promise<Operation>;
  updateStep(id: number, index: number, patch: StepPatch): Promise<void>;
  /** Replaces all steps from `fromIndex` on. */
  replaceSteps(id: number, fromIndex: number, steps: readonly Step[]): Promise<Operation>;
}

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

export interface SightingStore {
  /** Resolves a MAC to its node's rows too; bounded per MAC. */
  add(sighting: BootSighting): Promise<void>;
  /** Sightings of a node (by uuid or any of its ports' MACs) at or after `since`, oldest first. */
  forNode(nodeUuid: string, since: Date): Promise<BootSighting[]>;
}

export interface Inventory {
  readonly inventory: JsonObject;
  readonly pluginData: JsonObject;
}

export interface InventoryStore {
  put(nodeUuid: string, inventory: Inventory, now: Date): Promise<void>;
  get(nodeUuid: string): Promise<Inventory | undefined>;
}

/** What the compute façade keeps. */
export interface ComputeStore {
  readonly flavors: RecordStore<Flavor>;
  readonly keypairs: RecordStore<Keypair>;
  readonly serverGroups: RecordStore<ServerGroup>;
  readonly aggregates: RecordStore<Aggregate>;
  readonly computeServices: RecordStore<ComputeService>;
  readonly servers: RecordStore<Server>;
  readonly instanceActions: RecordStore<InstanceAction>;
  readonly schedulingReports: RecordStore<SchedulingReport>;
  readonly images: RecordStore<Image>;
  readonly networks: RecordStore<Network>;
  readonly subnets: RecordStore<Subnet>;
  readonly networkPorts: RecordStore<NetworkPort>;
  readonly ipAllocations: RecordStore<IpAllocation>;
}

/** Tokens of ours that were taken back before their time was over. */
export interface RevokedTokens {
  /** Forgets those whose time is over. */
  add(id: string, expiresAt: Date, now: Date): Promise<void>;
  has(id: string): Promise<boolean>;
}

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
  /** All or nothing. `work` must use the store it is given. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
