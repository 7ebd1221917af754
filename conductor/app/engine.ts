/**
 * The engine, with its connections to agents.
 */
import { createAgentClients } from '../agent-link/agent-client.ts';
import { createAgentLink } from '../agent-link/agent-link.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import type { HardwareType } from '../domain/drivers.ts';
import type { ImageCache } from '../domain/images.ts';
import { createBootTrust } from '../engine/boot-trust.ts';
import { createEngine } from '../engine/create-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { createConfigDriveBuilder } from '../images/config-drive.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './parts.ts';

export interface RunningEngine {
  readonly engine: Engine;
  /** Closed after the engine has stopped. */
  readonly agents: Part;
  readonly trust: BootTrust;
}

export function openEngine(
  { config, store, provisioning, logger, now }: Foundation,
  hardwareTypes: readonly HardwareType[],
  images: ImageCache,
): RunningEngine {
  const agents = createAgentClients(provisioning?.tls ?? null);
  const engine = createEngine({
    store,
    hardwareTypes,
    images,
    configDrives: createConfigDriveBuilder(),
    agents: createAgentLink(agents.for),
    services: { plainUrl: provisioning?.plainUrl ?? null, tlsUrl: provisioning?.tlsUrl ?? null },
    settings: config,
    logger,
    now,
  });
  const trust = createBootTrust({ store, host: config.host, wake: engine.wake, logger, now });
  return { engine, agents: { stop: () => agents.close() }, trust };
}
