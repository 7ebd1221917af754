/**
 * What the API is given by app/.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Authentication } from '../../auth/authentication.ts';
import type { Caller } from '../../domain/policy.ts';
import type { RamdiskIntake } from '../../domain/ramdisk-intake.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Guard } from './auth/route-policies.ts';
import type { SeesImage } from './image-source.ts';
import type { ApiSettings } from './settings.ts';

export interface ApiDeps {
  readonly engine: Engine;
  /** What ramdisks call. */
  readonly ramdisk: RamdiskIntake;
  /** Changes to a node and to what hangs on it go through the engine; other resources are changed here. */
  readonly store: Store;
  readonly config: ApiSettings;
  readonly authentication: Authentication;
  /** When there is an image service. */
  readonly seesImage?: SeesImage;
  readonly logger: FastifyBaseLogger;
  readonly now: () => Date;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null for the ramdisk and on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Who may call, from auth/route-policies.ts. */
    guard?: Guard;
  }
}
