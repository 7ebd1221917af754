/**
 * Stores the sightings of the boot servers in the background, and makes the engine look at the node.
 */
import type { BootSighting, BootTrace } from '../domain/boot.ts';
import type { Engine } from '../engine/engine.ts';
import type { Foundation } from './foundation.ts';

export function createBootTrace({ store, logger }: Foundation, engine: Pick<Engine, 'wake'>): BootTrace {
  async function nodeOf({ nodeUuid, mac }: BootSighting): Promise<string | undefined> {
    if (nodeUuid !== undefined || mac === undefined) return nodeUuid;
    return (await store.nodes.findByMacs([mac]))[0]?.uuid;
  }

  async function keep(sighting: BootSighting): Promise<void> {
    await store.sightings.add(sighting);
    const uuid = await nodeOf(sighting);
    if (uuid !== undefined) engine.wake(uuid);
  }

  return {
    record(sighting) {
      keep(sighting).catch((error: unknown) =>
        logger.error({ err: error }, 'a sighting could not be stored'),
      );
    },
  };
}
