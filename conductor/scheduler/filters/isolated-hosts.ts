/**
 * IsolatedHostsFilter: isolated images run only on isolated hosts. With `isRestricted`, isolated hosts run
 * nothing else.
 */
import type { HostState } from '../host-state.ts';
import type { RequestSpec } from '../request-spec.ts';
import type { Filter } from './filter.ts';

export interface Isolation {
  /** Names of compute services, node UUIDs or node names. */
  readonly hosts: readonly string[];
  /** Image ids. */
  readonly images: readonly string[];
  /** Isolated hosts run only isolated images. */
  readonly isRestricted: boolean;
}

export function isolatedHosts({ hosts, images, isRestricted }: Isolation): Filter {
  const names = new Set(hosts);
  const isIsolated = (host: HostState) =>
    names.has(host.nodename) || names.has(host.host) || (host.name !== null && names.has(host.name));
  const isImageIsolated = ({ image }: RequestSpec) => image !== undefined && images.includes(image.uuid);
  return {
    passes: (host, spec) => (isImageIsolated(spec) ? isIsolated(host) : !isRestricted || !isIsolated(host)),
    reason: (_, spec) =>
      isImageIsolated(spec)
        ? `image ${spec.image?.uuid} is for isolated hosts only`
        : 'isolated, and the image is not',
  };
}
