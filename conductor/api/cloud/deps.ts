/**
 * What app/ provides for the routes of the four cloud APIs.
 */
import type { Logger } from '../../domain/logger.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ImageService } from '../../image-service/image-service.ts';
import type { ServerNetworks } from '../../network-service/server-networks.ts';
import type { Instances } from '../../servers/instances.ts';
import type { ComputeSettings } from '../../servers/settings.ts';

export interface ComputeDeps {
  readonly engine: Engine;
  readonly store: Store;
  readonly instances: Instances;
  readonly images: ImageService;
  readonly networks: ServerNetworks;
  readonly settings: ComputeSettings;
  readonly logger: Logger;
  readonly now: () => Date;
}
