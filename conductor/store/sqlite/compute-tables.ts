/**
 * The record tables of the compute façade, for record-store.ts.
 */
import {
  AGGREGATE_COLUMNS,
  COMPUTE_SERVICE_COLUMNS,
  FLAVOR_COLUMNS,
  IMAGE_COLUMNS,
  INSTANCE_ACTION_COLUMNS,
  IP_ALLOCATION_COLUMNS,
  KEYPAIR_COLUMNS,
  NETWORK_COLUMNS,
  NETWORK_PORT_COLUMNS,
  SCHEDULING_REPORT_COLUMNS,
  SERVER_COLUMNS,
  SERVER_GROUP_COLUMNS,
  SUBNET_COLUMNS,
} from './compute-schema.ts';
import type { RecordTable } from './record-store.ts';

export const COMPUTE_TABLES = {
  flavors: {
    table: 'flavors',
    label: 'Flavor',
    columns: FLAVOR_COLUMNS,
    named: true,
    unique: { name: { name: 'name' } },
  },
  keypairs: {
    table: 'keypairs',
    label: 'Key pair',
    columns: KEYPAIR_COLUMNS,
    named: false,
    unique: { user_id: { user: 'userId', name: 'name' } },
  },
  serverGroups: {
    table: 'server_groups',
    label: 'Instance group',
    columns: SERVER_GROUP_COLUMNS,
    named: false,
    unique: {},
  },
  aggregates: {
    table: 'aggregates',
    label: 'Aggregate',
    columns: AGGREGATE_COLUMNS,
    named: true,
    unique: { name: { name: 'name' } },
  },
  computeServices: {
    table: 'compute_services',
    label: 'Compute service',
    columns: COMPUTE_SERVICE_COLUMNS,
    named: false,
    unique: { binary: { binary: 'binary', host: 'host' } },
  },
  servers: {
    table: 'servers',
    label: 'Instance',
    columns: SERVER_COLUMNS,
    named: false,
    unique: {},
  },
  instanceActions: {
    table: 'instance_actions',
    label: 'Instance action',
    columns: INSTANCE_ACTION_COLUMNS,
    named: false,
    unique: {},
  },
  schedulingReports: {
    table: 'scheduling_reports',
    label: 'Scheduling report',
    columns: SCHEDULING_REPORT_COLUMNS,
    named: false,
    unique: {},
  },
  images: {
    table: 'images',
    label: 'Image',
    columns: IMAGE_COLUMNS,
    named: false,
    unique: {},
  },
  networks: {
    table: 'networks',
    label: 'Network',
    columns: NETWORK_COLUMNS,
    named: false,
    unique: {},
  },
  subnets: {
    table: 'subnets',
    label: 'Subnet',
    columns: SUBNET_COLUMNS,
    named: false,
    unique: {},
  },
  networkPorts: {
    table: 'network_ports',
    label: 'Port',
    columns: NETWORK_PORT_COLUMNS,
    named: false,
    unique: { network_uuid: { 'MAC address': 'macAddress' } },
  },
  ipAllocations: {
    table: 'ip_allocations',
    label: 'IP allocation',
    columns: IP_ALLOCATION_COLUMNS,
    named: false,
    unique: { subnet_uuid: { 'IP address': 'address' } },
  },
} as const satisfies Record<string, RecordTable>;
