/**
 * Resources of Neutron that machines do not have: empty lists, so that clients that read them find nothing, and an
 * error for creating one. A port of a machine is connected directly to a switch, so the conductor can not route or
 * filter its traffic.
 */

import { refused } from '../../network-service/network-error.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { VERSION } from './collection.ts';

const FILTERING =
  'ports of machines go straight to their switch, and nothing filters them here: filter in the machine or on the switch';
const ROUTING = "there are no routers here: use the subnet's gateway";

const ABSENT: Readonly<Record<string, string>> = {
  routers: ROUTING,
  floatingips: `${ROUTING}, and give machines an address on the network they are reached by`,
  'security-groups': FILTERING,
  'security-group-rules': FILTERING,
  agents: 'the conductor does its work without agents',
  availability_zones: 'networks belong to no zone',
  subnetpools: 'give each subnet its cidr',
  'address-scopes': ROUTING,
  'rbac-policies': 'a network is shared with all projects or with none',
  trunks: 'a machine has its VLANs from its switch',
  segments: 'a network is one segment',
  network_segment_ranges: 'VLANs are set up on the switches by their operator',
  'qos/policies': 'nothing here is between a machine and its switch',
  'qos/rule-types': 'nothing here is between a machine and its switch',
  flavors: 'there is one kind of network',
  'service-providers': 'the conductor is the only provider',
  'address-groups': FILTERING,
  local_ips: ROUTING,
  'metering/metering-labels': 'traffic is not seen here',
  'log/logs': FILTERING,
};

export function registerAbsentResources(app: App): void {
  for (const [plural, why] of Object.entries(ABSENT)) {
    const key = plural.split('/').at(-1)!.replaceAll('-', '_');
    const path = `${VERSION}/${plural}`;
    const words = key.replaceAll('_', ' ');
    app.get(path, described('reader', `List ${words}: always none`, { list: key }), async () => ({
      [key]: [],
    }));
    app.post(path, described('member', `Refused: there are no ${words}`), async () => {
      throw refused.unsupported(`Ingot has no ${words}: ${why}.`);
    });
  }
}
