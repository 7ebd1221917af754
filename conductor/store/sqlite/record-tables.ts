/**
 * The record tables of the bare-metal resources, for record-store.ts.
 */
import type { RecordTable } from './record-store.ts';
import {
  ALLOCATION_COLUMNS,
  CHASSIS_COLUMNS,
  DEPLOY_TEMPLATE_COLUMNS,
  INSPECTION_RULE_COLUMNS,
  PORT_COLUMNS,
  PORTGROUP_COLUMNS,
  RUNBOOK_COLUMNS,
  VOLUME_CONNECTOR_COLUMNS,
  VOLUME_TARGET_COLUMNS,
} from './schema.ts';

export const RECORD_TABLES = {
  ports: {
    table: 'ports',
    label: 'Port',
    columns: PORT_COLUMNS,
    named: true,
    unique: { address: { 'MAC address': 'address' }, name: { name: 'name' } },
  },
  portgroups: {
    table: 'portgroups',
    label: 'Portgroup',
    columns: PORTGROUP_COLUMNS,
    named: true,
    unique: { address: { 'MAC address': 'address' }, name: { name: 'name' } },
  },
  chassis: { table: 'chassis', label: 'Chassis', columns: CHASSIS_COLUMNS, named: false, unique: {} },
  deployTemplates: {
    table: 'deploy_templates',
    label: 'Deploy template',
    columns: DEPLOY_TEMPLATE_COLUMNS,
    named: true,
    unique: { name: { name: 'name' } },
  },
  inspectionRules: {
    table: 'inspection_rules',
    label: 'Inspection rule',
    columns: INSPECTION_RULE_COLUMNS,
    named: false,
    unique: {},
  },
  runbooks: {
    table: 'runbooks',
    label: 'Runbook',
    columns: RUNBOOK_COLUMNS,
    named: true,
    unique: { name: { name: 'name' } },
  },
  allocations: {
    table: 'allocations',
    label: 'Allocation',
    columns: ALLOCATION_COLUMNS,
    named: true,
    unique: { name: { name: 'name' } },
  },
  volumeConnectors: {
    table: 'volume_connectors',
    label: 'Volume connector',
    columns: VOLUME_CONNECTOR_COLUMNS,
    named: false,
    unique: { type: { type: 'type', connector_id: 'connectorId' } },
  },
  volumeTargets: {
    table: 'volume_targets',
    label: 'Volume target',
    columns: VOLUME_TARGET_COLUMNS,
    named: false,
    unique: { node_uuid: { node: 'nodeUuid', boot_index: 'bootIndex' } },
  },
} as const satisfies Record<string, RecordTable>;
