/**
 * The bare-metal API: authentication, and what the operators' and the ramdisk's listeners share.
 */
import { createCallbackCheck } from '../agent-link/callback-check.ts';
import { createRamdiskIntake } from '../agent-link/ramdisk-intake.ts';
import { createApi } from '../api/ironic/api.ts';
import type { ApiDeps } from '../api/ironic/deps.ts';
import type { Authentication } from '../auth/authentication.ts';
import { createAuthentication } from '../auth/create-authentication.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import type { Engine } from '../engine/engine.ts';
import { ownAddresses } from '../outbound/own-addresses.ts';
import { authSettingsOf } from './auth-settings.ts';
import type { Foundation } from './foundation.ts';
import type { Images } from './images.ts';
import type { ListenerTls } from './listener-tls.ts';
import type { Part } from './parts.ts';

export interface Apis {
  readonly deps: ApiDeps;
  readonly authentication: Authentication;
  /** The operators' listener. */
  readonly listener: Part;
}

export function openApis(
  { config, store, logger, now }: Foundation,
  engine: Engine,
  { library, isShared }: Images,
  trust: BootTrust,
  tls: ListenerTls | null,
): Apis {
  const authentication = createAuthentication(authSettingsOf(config), {
    revoked: store.revokedTokens,
    logger,
    now,
  });
  const callbackProblem = createCallbackCheck({
    settings: config,
    leases: config.network !== null && config.dhcpMode === 'reservation',
    store,
    ownAddresses,
    now,
  });
  const deps: ApiDeps = {
    engine,
    ramdisk: createRamdiskIntake({
      store,
      logger,
      now,
      wake: engine.wake,
      callbackProblem,
      trust,
      allowPlaintext: config.agentAllowPlaintext,
    }),
    ramdiskApart: config.network !== null,
    store,
    config,
    authentication,
    ...(isShared ? { seesImage: library.sees } : {}),
    logger,
    now,
  };
  const api = createApi(deps, tls?.options);
  tls?.serves(api.server);
  return {
    deps,
    authentication,
    listener: { start: () => api.listen(config.listen), stop: () => api.close() },
  };
}
