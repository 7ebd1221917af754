/**
 * What users ask of servers, checked: everything that a request names exists. conductor/api/nova makes these from the
 * bodies of its requests. Their fields are those of the server that they end in.
 */
import type { Flavor, Server, ServerFlavor } from '../domain/compute.ts';
import type { Tenant } from '../identity/tenant.ts';

/** The caller, for the record of actions. */
export interface Asking {
  readonly tenant: Tenant;
  readonly requestId: string;
}

/** The fields of new servers that come from their request. */
type Requested = Pick<
  Server,
  | 'name'
  | 'description'
  | 'flavor'
  | 'imageUuid'
  | 'keyName'
  | 'publicKey'
  | 'availabilityZone'
  | 'forcedPlace'
  | 'serverGroupUuid'
  | 'schedulerHints'
  | 'requestedNetworks'
  | 'accessIpv4'
  | 'accessIpv6'
  | 'metadata'
  | 'tags'
  | 'hasConfigDrive'
  | 'userData'
  | 'personality'
  | 'minCount'
>;

/** A request for `maxCount` servers. If fewer than `minCount` can be built, none is. */
export interface ServerRequest extends Asking, Requested {
  /** Generated when the user set none. */
  readonly adminPass: string;
  readonly maxCount: number;
}

type Rebuildable =
  | 'name'
  | 'description'
  | 'keyName'
  | 'publicKey'
  | 'accessIpv4'
  | 'accessIpv6'
  | 'metadata'
  | 'userData'
  | 'personality';

/** Missing fields stay unchanged. */
export interface RebuildRequest extends Partial<Pick<Server, Rebuildable>> {
  readonly imageUuid: string;
  readonly adminPass: string;
}

/** The copy of a flavor in a server: later changes to the flavor do not affect the server. */
export const serverFlavor = (flavor: Flavor): ServerFlavor => ({
  uuid: flavor.uuid,
  name: flavor.name,
  vcpus: flavor.vcpus,
  ramMb: flavor.ramMb,
  rootGb: flavor.rootGb,
  ephemeralGb: flavor.ephemeralGb,
  swapMb: flavor.swapMb,
  extraSpecs: flavor.extraSpecs,
});
