/**
 * Collects everything that a node needs to become a server, from the rooms that know it.
 */
import { randomBytes } from 'node:crypto';
import type { Image, Server } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';
import { listAll } from '../domain/store/page.ts';
import { configDriveOf } from './config-drive.ts';
import type { InstancesDeps } from './deps.ts';
import type { SpawnPlan } from './driver.ts';
import { zonesByMachine } from './places/zones.ts';
import { instanceInfoFor } from './spawn-plan.ts';

/** Nova's size. */
const SEED_BYTES = 512;

/** Throws imageFailure when the image or its data does not exist any more. */
export async function imageOf({ store }: Pick<InstancesDeps, 'store'>, server: Server): Promise<Image> {
  const { imageUuid } = server;
  if (imageUuid === null) {
    throw new IngotError(
      'imageFailure',
      'There is no image to boot: servers boot from an image here, not from a volume.',
    );
  }
  const image = await store.compute.images.find(imageUuid);
  if (image === undefined) throw new IngotError('imageFailure', `Image ${imageUuid} could not be found.`);
  if (image.status !== 'active') {
    throw new IngotError('imageFailure', `Image ${imageUuid} is not active: it is ${image.status}.`);
  }
  return image;
}

export async function planFor(
  deps: Pick<InstancesDeps, 'store' | 'images' | 'networks' | 'settings'>,
  server: Server,
): Promise<SpawnPlan> {
  const { images, networks, settings } = deps;
  const image = await imageOf(deps, server);
  const addresses = await networks.addressesOf(server.uuid);
  return {
    instanceInfo: instanceInfoFor(server, await images.instanceInfoOf(image)),
    // a machine has no other way to its metadata, so it always gets one
    configDrive: configDriveOf(server, addresses, {
      networkData: networks.networkDataOf(addresses),
      vendorData: settings.vendorData,
      availabilityZone: await zoneOf(deps, server),
      randomSeed: randomBytes(SEED_BYTES).toString('base64'),
    }),
  };
}

/** The zone of the aggregate that contains the server's node. */
async function zoneOf(
  { store, settings }: Pick<InstancesDeps, 'store' | 'settings'>,
  { host, nodeUuid }: Server,
): Promise<string> {
  const node = nodeUuid === null ? undefined : await store.nodes.find(nodeUuid);
  if (node === undefined) return settings.defaultAvailabilityZone;
  const all = await listAll(store.compute.aggregates, {});
  return zonesByMachine(all, host ?? settings.host, settings.defaultAvailabilityZone)(node);
}
