/**
 * What this room needs: the driver of the machines, and services of other rooms.
 */
import type { Logger } from '../domain/logger.ts';
import type { Store } from '../domain/store/store.ts';
import type { ImageService } from '../image-service/image-service.ts';
import type { ServerNetworks } from '../network-service/server-networks.ts';
import type { ComputeDriver } from './driver.ts';
import type { ComputeSettings } from './settings.ts';

export interface InstancesDeps {
  readonly store: Store;
  readonly driver: ComputeDriver;
  readonly images: ImageService;
  readonly networks: ServerNetworks;
  readonly settings: Pick<
    ComputeSettings,
    'host' | 'scheduler' | 'defaultAvailabilityZone' | 'vendorData' | 'serviceReportMs'
  >;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Like Math.random; chooses among equally good hosts. */
  readonly random?: () => number;
}
