/**
 * Where our answers differ from Ironic's and should not: findings, to be fixed until this list is empty. An entry that
 * nothing needs fails the test, so whoever fixes one takes it off. Most important first.
 */
import type { ReviewedDifference } from './compare.ts';

const PORTS: readonly ReviewedDifference[] = [
  {
    requests:
      /^ports: (a link of (one half|unknown keys|a bad switch)|a managed link|remove a part of the link)$/,
    at: /^status$/,
    reason:
      'local_link_connection has a schema: switch_id and port_id, or a smart NIC, or network_type unmanaged',
  },
  {
    requests: /^portgroups: (a port in the one for no PXE|ports by portgroup name|delete by name)$/,
    at: /^(status|body\.ports\.0)$/,
    reason: 'A port with pxe_enabled does not go into a port group without standalone_ports_supported (409)',
  },
  {
    requests: /^ports: by shard( before it was)?$/,
    at: /^status$/,
    reason: 'Ports have the filter shard (1.82)',
  },
  {
    requests: /^portgroups: remove the mode$/,
    at: /^status$/,
    reason: 'mode of a port group is mandatory (400)',
  },
  {
    requests: /^ports: smart before it was$/,
    at: /^status$/,
    reason: 'is_smartnic false is refused below 1.53 as well (406)',
  },
  {
    requests: /^ports: by node before it was$/,
    at: /^status$/,
    reason: 'A node name below 1.5 is 406 in a filter',
  },
  {
    requests: /^ports: an address with dashes$/,
    at: /^status$/,
    reason: 'Only colons are a MAC address on the wire',
  },
];

const NODES: readonly ReviewedDifference[] = [
  {
    requests: /conductor group( nobody serves)?$|^node-patches: automated clean$/,
    at: /^(status|body\.conductor_group)$/,
    reason: 'A conductor group that no conductor serves is refused (400)',
  },
  {
    requests: /^(nodes|node-patches): bad network data$/,
    at: /^status$/,
    reason: 'network_data is checked against its schema',
  },
  {
    requests: /^node-patches: a protected reason$/,
    at: /^status$/,
    reason: 'protected_reason needs protected (400)',
  },
  {
    requests: /^nodes: validate the ipmi node$/,
    at: /^body\.(bios|console|raid|rescue)\.result$/,
    reason: 'validate says false for an interface that does nothing, not null',
  },
  {
    requests: /^(nodes: the links field|traits: the node)$/,
    at: /^status$/,
    reason: 'links is no field to ask for, and neither is updated_at below detail',
  },
  {
    requests:
      /^(node-lists|ports|allocations|volume-connectors|volume-targets): sorted by \w+_uuid$|^node-lists: sorted by reservation$/,
    at: /^status$/,
    reason: 'Uuids of other resources are no sort keys, reservation is one',
  },
  {
    requests: /^node-lists: by an absent chassis$/,
    at: /^status$/,
    reason: 'The filter by a chassis that is not there is 404',
  },
  {
    requests: /^node-management: by argument$/,
    at: /^status$/,
    reason: 'persistent may be a query argument',
  },
];

const FAKE_HARDWARE: readonly ReviewedDifference[] = [
  {
    requests: /^node-vendor: (methods|without vendor)$/,
    at: /require_exclusive_lock$/,
    reason: 'fourth_method_shared_lock takes no exclusive lock',
  },
];

const OTHERS: readonly ReviewedDifference[] = [
  {
    requests: /^ramdisk: (heartbeat of an absent node|continue inspection before it was)$/,
    at: /^status$/,
    reason:
      'A heartbeat of an unknown node is 404 before its token is looked at; continue_inspection is 404 below 1.84',
  },
];

export const KNOWN_DIFFERENCES: readonly ReviewedDifference[] = [
  ...PORTS,
  ...NODES,
  ...FAKE_HARDWARE,
  ...OTHERS,
];
