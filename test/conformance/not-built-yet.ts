/**
 * Groups of requests that are asked of real Ironic only, because ours does not have the resource yet. The recordings
 * show what to build; a group leaves this list with the commit that builds it.
 */
export const NOT_BUILT_YET: ReadonlySet<string> = new Set([
  'node-console',
  'node-raid',
  'node-boot-mode',
  'node-vendor',
  'traits',
  'vifs',
  'bios',
  'portgroups',
  'chassis',
  'allocations',
  'deploy-templates',
  'volume-connectors',
  'volume-targets',
  'shards',
  'events',
]);
