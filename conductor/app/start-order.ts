/**
 * The order in which the parts of a conductor start. They stop in the reverse order.
 */
import type { Part } from './parts.ts';

export interface ConductorParts {
  /** Released last, when nothing uses the data directory any more. */
  readonly dataDirLock: Part;
  readonly store: Part;
  /** Connections to BMCs. */
  readonly drivers: Part;
  /** Connections to agents. */
  readonly agents: Part;
  readonly imageCache: Part;
  /** DHCP, TFTP and the HTTP server for booting machines. */
  readonly provisioning: Part;
  readonly imageLibrary: Part;
  readonly engine: Part;
  readonly authentication: Part;
  /** The compute façade; null when it is not configured. */
  readonly compute: Part | null;
  /** The bare-metal API. */
  readonly listener: Part;
}

export function inStartOrder(parts: ConductorParts): readonly Part[] {
  return [
    parts.dataDirLock,
    parts.store,
    parts.drivers,
    parts.agents,
    parts.imageCache,
    // Machines may call back as soon as the engine wakes their operations, so their listener starts first. It stops
    // after the engine.
    parts.provisioning,
    parts.imageLibrary,
    parts.engine,
    parts.authentication,
    ...(parts.compute === null ? [] : [parts.compute]),
    parts.listener,
  ];
}
