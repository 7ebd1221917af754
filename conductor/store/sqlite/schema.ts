/**
 * The columns of all tables: each field with its kind. The types of rows, their encoding and the sort keys are derived
 * from these tables; indexes and defaults are in migrations/.
 *
 * The name of a column is the field in snake_case. Times are integers, milliseconds since 1970; JSON is text.
 */
import { NODE_ROWS } from '@ingot/shared/ironic/node-fields.ts';
import type { DeclinedAddress, Lease } from '../../domain/boot.ts';
import type { InspectionRule } from '../../domain/inspection-rules/rule.ts';
import type { AgentSession, Holder, Node, Port } from '../../domain/node.ts';
import type { Operation } from '../../domain/operations.ts';
import type {
  Allocation,
  Chassis,
  DeployTemplate,
  Portgroup,
  Recorded,
  Runbook,
  VolumeConnector,
  VolumeTarget,
} from '../../domain/resources.ts';
import type { HistoryEntry } from '../../domain/store/history.ts';
import type { ColumnKind, TableOf } from './row-codec.ts';
import { columnsOf } from './wire-columns.ts';

/** Fields of an object that is stored in the row of its record: `url` of `agent` is `agentUrl`. */
export type Prefixed<P extends string, T> = {
  readonly [K in keyof T & string as `${P}${Capitalize<K>}`]: T[K];
};

/** Fields of the node itself; the same row also has AGENT_COLUMNS and HOLDER_COLUMNS. */
export const NODE_COLUMNS = {
  id: 'integer',
  ...columnsOf(NODE_ROWS),
  interfaces: 'json',
  traits: 'json',
  raidConfig: 'json',
  targetRaidConfig: 'json',
  provisionState: 'text',
  bootTarget: 'sealed',
  currentStep: 'sealed',
  driverInternalInfo: 'sealed',
} as const satisfies Record<Exclude<keyof Node, 'agent' | 'holder'>, ColumnKind>;

export const AGENT_COLUMNS = {
  agentPresent: 'boolean',
  agentUrl: 'text',
  agentToken: 'secret',
  agentVersion: 'text',
  agentVerifyCa: 'text',
  agentProven: 'boolean',
  agentLastHeartbeatAt: 'time',
} as const satisfies Record<'agentPresent' | keyof Prefixed<'agent', AgentSession>, ColumnKind>;

export const HOLDER_COLUMNS = {
  holderOwner: 'text',
  holderPurpose: 'text',
  holderSince: 'time',
  holderDeadline: 'time',
} as const satisfies Record<keyof Prefixed<'holder', Holder>, ColumnKind>;

/** Fields that every resource has. */
export const RECORD_COLUMNS = {
  id: 'integer',
  uuid: 'text',
  createdAt: 'time',
  updatedAt: 'time',
} as const satisfies Record<keyof Recorded, ColumnKind>;

export const PORT_COLUMNS = {
  ...RECORD_COLUMNS,
  nodeUuid: 'text',
  portgroupUuid: 'text',
  address: 'text',
  name: 'text',
  pxeEnabled: 'boolean',
  localLinkConnection: 'guarded',
  physicalNetwork: 'text',
  isSmartnic: 'boolean',
  description: 'text',
  vendor: 'text',
  category: 'text',
  availableForDynamicPortgroup: 'boolean',
  extra: 'guarded',
  internalInfo: 'guarded',
} as const satisfies Record<keyof Port, ColumnKind>;

export const PORTGROUP_COLUMNS = {
  ...RECORD_COLUMNS,
  nodeUuid: 'text',
  name: 'text',
  address: 'text',
  mode: 'text',
  properties: 'guarded',
  standalonePortsSupported: 'boolean',
  physicalNetwork: 'text',
  category: 'text',
  dynamicPortgroup: 'boolean',
  extra: 'guarded',
  internalInfo: 'guarded',
} as const satisfies Record<keyof Portgroup, ColumnKind>;

export const CHASSIS_COLUMNS = {
  ...RECORD_COLUMNS,
  description: 'text',
  extra: 'guarded',
} as const satisfies Record<keyof Chassis, ColumnKind>;

export const DEPLOY_TEMPLATE_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  steps: 'guarded',
  extra: 'guarded',
} as const satisfies Record<keyof DeployTemplate, ColumnKind>;

export const INSPECTION_RULE_COLUMNS = {
  ...RECORD_COLUMNS,
  description: 'text',
  priority: 'integer',
  phase: 'text',
  sensitive: 'boolean',
  conditions: 'privateJson',
  actions: 'privateJson',
} as const satisfies Record<keyof InspectionRule, ColumnKind>;

export const RUNBOOK_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  description: 'text',
  traits: 'json',
  steps: 'guarded',
  disableRamdisk: 'boolean',
  public: 'boolean',
  owner: 'text',
  extra: 'guarded',
} as const satisfies Record<keyof Runbook, ColumnKind>;

export const ALLOCATION_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  nodeUuid: 'text',
  state: 'text',
  lastError: 'text',
  resourceClass: 'text',
  traits: 'json',
  candidateNodes: 'json',
  extra: 'guarded',
  owner: 'text',
} as const satisfies Record<keyof Allocation, ColumnKind>;

export const VOLUME_CONNECTOR_COLUMNS = {
  ...RECORD_COLUMNS,
  nodeUuid: 'text',
  type: 'text',
  connectorId: 'text',
  extra: 'guarded',
} as const satisfies Record<keyof VolumeConnector, ColumnKind>;

export const VOLUME_TARGET_COLUMNS = {
  ...RECORD_COLUMNS,
  nodeUuid: 'text',
  volumeType: 'text',
  volumeId: 'text',
  bootIndex: 'integer',
  properties: 'guarded',
  extra: 'guarded',
} as const satisfies Record<keyof VolumeTarget, ColumnKind>;

/** Steps are one JSON list, since they are read and written together with the cursor. */
export const OPERATION_COLUMNS = {
  id: 'integer',
  nodeUuid: 'text',
  kind: 'text',
  args: 'sealed',
  state: 'text',
  cursor: 'integer',
  steps: 'sealed',
  waitingFor: 'json',
  deadline: 'time',
  wakeAt: 'time',
  abortRequested: 'boolean',
  error: 'text',
  startedAt: 'time',
  finishedAt: 'time',
} as const satisfies Record<keyof Operation, ColumnKind>;

export const HISTORY_COLUMNS = {
  id: 'integer',
  uuid: 'text',
  nodeUuid: 'text',
  createdAt: 'time',
  severity: 'text',
  eventType: 'text',
  event: 'text',
  conductor: 'text',
  user: 'text',
  project: 'text',
  state: 'text',
  targetProvisionState: 'text',
  durationSeconds: 'integer',
} as const satisfies Record<keyof HistoryEntry | 'id', ColumnKind>;

export const SIGHTING_COLUMNS = {
  id: 'integer',
  kind: 'text',
  at: 'time',
  mac: 'text',
  nodeUuid: 'text',
  bytes: 'integer',
  detail: 'text',
} as const satisfies Record<string, ColumnKind>;

export const INVENTORY_COLUMNS = {
  nodeUuid: 'text',
  inventory: 'guarded',
  pluginData: 'guarded',
  updatedAt: 'time',
} as const satisfies Record<string, ColumnKind>;

export const LEASE_COLUMNS = {
  mac: 'text',
  address: 'text',
  expiresAt: 'time',
} as const satisfies Record<keyof Lease, ColumnKind>;

export const DECLINED_ADDRESS_COLUMNS = {
  address: 'text',
  until: 'time',
} as const satisfies Record<keyof DeclinedAddress, ColumnKind>;

export const REVOKED_TOKEN_COLUMNS = { id: 'text', expiresAt: 'time' } as const satisfies Record<
  string,
  ColumnKind
>;

/** A secret belongs to a node or an operation and is deleted with it. `pointer`: RFC 6901, into the row's fields. */
export const SECRET_COLUMNS = {
  nodeUuid: 'text',
  operationId: 'integer',
  pointer: 'text',
  value: 'json',
} as const satisfies Record<string, ColumnKind>;

export interface Schema {
  nodes: TableOf<typeof NODE_COLUMNS & typeof AGENT_COLUMNS & typeof HOLDER_COLUMNS>;
  ports: TableOf<typeof PORT_COLUMNS>;
  operations: TableOf<typeof OPERATION_COLUMNS>;
  history: TableOf<typeof HISTORY_COLUMNS>;
  sightings: TableOf<typeof SIGHTING_COLUMNS>;
  inventory: TableOf<typeof INVENTORY_COLUMNS>;
  leases: TableOf<typeof LEASE_COLUMNS>;
  declined_addresses: TableOf<typeof DECLINED_ADDRESS_COLUMNS>;
  revoked_tokens: TableOf<typeof REVOKED_TOKEN_COLUMNS>;
  bmc_cipher_suites: { readonly endpoint: string; readonly suite: number };
  secrets: TableOf<typeof SECRET_COLUMNS>;
}
