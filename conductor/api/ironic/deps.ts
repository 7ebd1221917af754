/**
 * The dependencies of the bare-metal API; conductor/app creates them.
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
  /** Handles the requests of ramdisks. */
  readonly ramdisk: RamdiskIntake;
  /** Ramdisks have listeners of their own, so the operators' listener has none of their routes. */
  readonly ramdiskApart?: boolean;
  /** Nodes and resources that belong to them are changed through the engine; other resources directly in the store. */
  readonly store: Store;
  readonly config: ApiSettings;
  readonly authentication: Authentication;
  /** Undefined without an image service. */
  readonly seesImage?: SeesImage;
  readonly logger: FastifyBaseLogger;
  readonly now: () => Date;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null on the routes of the ramdisk and on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** The policy of the route, from auth/route-policies.ts. */
    guard?: Guard;
  }
}
