/**
 * Collects the events of a boot's trust.
 */
import type { BootTrust, TrustEvent } from '@ingot/conductor/domain/boot-trust.ts';

export interface TrustEvents extends BootTrust {
  readonly events: readonly (TrustEvent & { readonly kind: 'refused' | 'breached'; readonly node: string })[];
}

export function createTrustEvents(): TrustEvents {
  const events: TrustEvents['events'][number][] = [];
  return {
    events,
    refused: async (node, event) => void events.push({ kind: 'refused', node, ...event }),
    breached: async (node, event) => void events.push({ kind: 'breached', node, ...event }),
  };
}

/** For tests without strangers. */
export const NO_TRUST_EVENTS: BootTrust = createTrustEvents();
