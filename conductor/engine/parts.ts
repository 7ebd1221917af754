/**
 * What every part of the engine uses: its dependencies, and the two parts that all others share.
 */
import type { EngineDeps } from './deps.ts';
import type { HardwareRegistry } from './hardware.ts';
import type { NodeLocks } from './locks.ts';

export interface EngineParts extends EngineDeps {
  readonly hardware: HardwareRegistry;
  readonly locks: NodeLocks;
}
