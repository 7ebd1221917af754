/**
 * RetryFilter: no build of this request has failed on the host.
 */
import type { Filter } from './filter.ts';

export const retry: Filter = {
  isAsked: ({ tried }) => tried.length > 0,
  passes: (host, { tried }) => !tried.some((one) => one.nodename === host.nodename && one.host === host.host),
  reason: () => 'a build of this request has failed there',
};
