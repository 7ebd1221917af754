/**
 * Puts a conductor together: what is made of what, and in which order its parts start and stop.
 */
import type { Config } from '../config/config.ts';
import { openApis } from './apis.ts';
import type { ComputeApp, ComputeAppDeps } from './compute.ts';
import { openDrivers } from './drivers.ts';
import { openEngine } from './engine.ts';
import { layFoundation } from './foundation.ts';
import { openImages } from './images.ts';
import { type RunningApp, runningApp } from './parts.ts';
import { openProvisioning } from './provisioning.ts';

export async function createApp(config: Config): Promise<RunningApp> {
  const foundation = await layFoundation(config);
  const { store, logger, now, bootUrl } = foundation;
  const images = openImages(foundation);
  const { cache, library } = images;
  const drivers = openDrivers(foundation, cache);
  const { engine, agents } = openEngine(foundation, drivers.hardwareTypes, cache);
  const { deps: api, authentication, listener } = openApis(foundation, engine, images);
  const compute = await openCompute(config.computeListen, {
    config,
    engine,
    store,
    images: library,
    authentication,
    logger,
    now,
  });
  const provisioning = openProvisioning(foundation, {
    engine,
    api,
    images: cache,
    fixedAddresses: compute?.fixedAddresses,
  });

  async function announce(): Promise<void> {
    const { listen, computeListen, dataDir } = config;
    logger.info(
      { listen, compute: computeListen, provisioning: bootUrl, data: dataDir },
      'ingot conductor is ready',
    );
  }

  return runningApp([
    { stop: () => store.close() },
    drivers,
    agents,
    { start: () => cache.sweep(), stop: () => cache.stop() },
    // Machines may call back as soon as the engine wakes their operations, so their listener comes first.
    provisioning,
    library,
    engine,
    { stop: async () => authentication.close?.() },
    ...(compute === null ? [] : [compute]),
    listener,
    { start: announce },
  ]);
}

/** Loaded only where it is wanted. */
async function openCompute(
  listen: Config['computeListen'],
  deps: ComputeAppDeps,
): Promise<ComputeApp | null> {
  if (listen === null) return null;
  const { createComputeApp } = await import('./compute.ts');
  return createComputeApp(listen, deps);
}
