/**
 * The records of the compute, image and network services.
 */
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
} from '../compute.ts';
import type { RecordStore } from './records.ts';

/** The records of the compute façade. */
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
