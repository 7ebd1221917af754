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

export interface ApiSettings {
  /** Base of every link in answers, without a trailing slash; null takes it from the request. */
  readonly publicEndpoint: string | null;
  /** Conductor host name. */
  readonly host: string;
  /** Largest page of a list. */
  readonly maxLimit: number;
  /** Told to agents: they report at a random 0.3 to 0.6 of it. */
  readonly heartbeatTimeoutMs: number;
  /** Calls one address may make per minute on the provisioning network, boot assets aside. */
  readonly ramdiskCallsPerMinute: number;
}

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
