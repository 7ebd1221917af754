/** Every group of requests, in the order in which they are sent. */
import type { RequestGroup } from '../request.ts';
import { allocations } from './allocations.ts';
import { chassis } from './chassis.ts';
import { deployTemplates } from './deploy-templates.ts';
import { conductors, drivers } from './drivers.ts';
import { nodeLists } from './node-lists.ts';
import {
  eventGroup,
  nodeBios,
  nodeHistory,
  nodeInventory,
  nodeTraits,
  nodeVifs,
  shards,
} from './node-parts.ts';
import { nodePatches } from './node-patches.ts';
import { nodeProvision, nodeRescue } from './node-provision.ts';
import {
  nodeBootMode,
  nodeConsole,
  nodeMaintenance,
  nodeManagement,
  nodePower,
  nodeRaid,
  nodeVendor,
} from './node-states.ts';
import { nodes } from './nodes.ts';
import {
  olderAllocationFields,
  olderNodeFields,
  olderPortFields,
  olderPortgroupFields,
} from './older-fields.ts';
import { olderArguments, olderPaths } from './older-paths.ts';
import { portgroupNetworks, portgroups } from './portgroups.ts';
import { ports } from './ports.ts';
import { ramdisk } from './ramdisk.ts';
import { versions } from './versions.ts';
import { volumeConnectors, volumeTargets } from './volume.ts';

export const GROUPS: readonly RequestGroup[] = [
  versions,
  nodes,
  nodeLists,
  nodePatches,
  nodeProvision,
  nodeRescue,
  nodePower,
  nodeMaintenance,
  nodeConsole,
  nodeRaid,
  nodeBootMode,
  nodeManagement,
  nodeVendor,
  nodeTraits,
  nodeVifs,
  nodeBios,
  nodeHistory,
  nodeInventory,
  ports,
  portgroups,
  portgroupNetworks,
  chassis,
  allocations,
  deployTemplates,
  volumeConnectors,
  volumeTargets,
  shards,
  eventGroup,
  drivers,
  conductors,
  ramdisk,
  olderNodeFields,
  olderPortFields,
  olderPortgroupFields,
  olderAllocationFields,
  olderPaths,
  olderArguments,
];
