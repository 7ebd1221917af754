/**
 * Creates and connects the parts of a conductor. start-order.ts has the order of starts and stops.
 */
import type { Config } from '../config/config.ts';
import { openApis } from './apis.ts';
import type { ComputeApp, ComputeAppDeps } from './compute.ts';
import { openDrivers } from './drivers.ts';
import { openEngine } from './engine.ts';
import { layFoundation } from './foundation.ts';
import { openImages } from './images.ts';
import { openListenersTls, warnOfPlainListeners } from './listener-tls.ts';
import { openOutbound } from './outbound.ts';
import { type RunningApp, runningApp } from './parts.ts';
import { openProvisioning } from './provisioning.ts';
import { inStartOrder } from './start-order.ts';

export async function createApp(config: Config): Promise<RunningApp> {
  const foundation = await layFoundation(config);
  const { dataDirLock, store, logger, now } = foundation;
  const tls = openListenersTls(config, logger, now);
  const outbound = openOutbound(foundation);
  const images = openImages(foundation, outbound);
  const { cache, library } = images;
  const drivers = openDrivers(foundation, cache, outbound);
  const { engine, agents, trust } = openEngine(foundation, drivers.hardwareTypes, cache);
  const { deps: api, authentication, listener } = openApis(foundation, engine, images, trust, tls.api);
  const compute = await openCompute(config.computeListen, {
    config,
    engine,
    store,
    images: library,
    authentication,
    tls: tls.compute,
    logger,
    now,
  });
  const provisioning = openProvisioning(foundation, {
    engine,
    api,
    images: cache,
    trust,
    fixedAddresses: compute?.fixedAddresses,
  });

  async function announce(): Promise<void> {
    const { listen, computeListen, dataDir } = config;
    warnOfPlainListeners(config, logger);
    logger.info(
      {
        listen,
        compute: computeListen,
        provisioning: foundation.provisioning?.plainUrl ?? null,
        data: dataDir,
      },
      'ingot conductor is ready',
    );
  }

  const parts = inStartOrder({
    dataDirLock: { stop: async () => dataDirLock.release() },
    store: { stop: () => store.close() },
    drivers,
    agents,
    imageCache: { start: () => cache.sweep(), stop: () => cache.stop() },
    provisioning,
    imageLibrary: library,
    engine,
    authentication: { stop: async () => authentication.close?.() },
    compute,
    listener,
  });
  const hasTls = tls.api !== null || tls.compute !== null;
  return { ...runningApp([...parts, { start: announce }]), ...(hasTls && { reload: tls.reload }) };
}

/** The modules of the façade are loaded only when it is configured. */
async function openCompute(
  listen: Config['computeListen'],
  deps: ComputeAppDeps,
): Promise<ComputeApp | null> {
  if (listen === null) return null;
  const { createComputeApp } = await import('./compute.ts');
  return createComputeApp(listen, deps);
}
