/**
 * Which cipher suites a BMC is offered. A BMC that has used a strong one is not spoken to with a weaker one: somebody on
 * the network between could otherwise keep the strong one's packets away and break the weak one. Only an operator may
 * choose the weaker one, with driver_info.ipmi_cipher_suite.
 */
import { CIPHER_SUITE_IDS, type CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';

export interface OfferedSuites {
  readonly suites: readonly CipherSuiteId[];
  /** The suite that the BMC has used, if weaker ones are left out because of it. */
  readonly floor?: CipherSuiteId;
}

/** The strongest has the smallest. */
const rankOf = (id: number): number => CIPHER_SUITE_IDS.indexOf(id as CipherSuiteId);

/** `allowed` is one suite if an operator has chosen it. */
export function offeredSuites(allowed: readonly CipherSuiteId[], seen: number | undefined): OfferedSuites {
  const floor = CIPHER_SUITE_IDS.find((id) => id === seen);
  if (floor === undefined || allowed.length === 1) return { suites: allowed };
  const suites = allowed.filter((id) => rankOf(id) <= rankOf(floor));
  return suites.length < allowed.length ? { suites, floor } : { suites };
}

export const isStronger = (id: CipherSuiteId, than: number | undefined): boolean =>
  than === undefined || rankOf(than) < 0 || rankOf(id) < rankOf(than);
