/**
 * RetryFilter: not where a build of this request has failed already.
 */
import type { Filter } from './filter.ts';

export const retry: Filter = (host, { tried }) =>
  tried.some((one) => one.nodename === host.nodename && one.host === host.host)
    ? 'a build of this request has failed there'
    : undefined;
