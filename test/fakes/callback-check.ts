/**
 * The check of callback URLs for fake agents, which listen on loopback or have a documentation address (RFC 5737).
 */
import { type CallbackCheck, createCallbackCheck } from '@ingot/conductor/agent-link/callback-check.ts';
import { parsePrefix } from '@ingot/conductor/domain/ip-address.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';

export const testCallbackCheck = (store: Store): CallbackCheck =>
  createCallbackCheck({
    settings: {
      agentAllowPlaintext: true,
      agentCallbackAllow: ['127.0.0.0/8', '192.0.2.0/24'].flatMap((text) => parsePrefix(text) ?? []),
    },
    leases: false,
    store,
    ownAddresses: () => [],
    now: () => new Date(),
  });
