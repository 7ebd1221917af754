/**
 * Lists of Nova that are always empty here, so that clients that read them find nothing; each with the last
 * microversion in which Nova has it.
 */
import { described } from '../../cloud/cloud-route.ts';
import type { Access } from '../../cloud/cloud-service.ts';
import type { App } from '../../kit/app.ts';
import { LAST_PROXIES } from './network-proxies.ts';

interface EmptyList {
  readonly path: string;
  readonly key: string;
  readonly access: Access;
  readonly until?: number;
}

const LISTS: readonly EmptyList[] = [
  // a machine stays where it is
  { path: '/os-migrations', key: 'migrations', access: 'admin' },
  { path: '/os-security-groups', key: 'security_groups', access: 'reader', until: LAST_PROXIES },
  { path: '/os-floating-ips', key: 'floating_ips', access: 'reader', until: LAST_PROXIES },
  { path: '/os-floating-ip-pools', key: 'floating_ip_pools', access: 'reader', until: LAST_PROXIES },
  { path: '/os-volumes', key: 'volumes', access: 'reader', until: LAST_PROXIES },
  { path: '/os-volumes/detail', key: 'volumes', access: 'reader', until: LAST_PROXIES },
  { path: '/os-snapshots', key: 'snapshots', access: 'reader', until: LAST_PROXIES },
  { path: '/os-snapshots/detail', key: 'snapshots', access: 'reader', until: LAST_PROXIES },
];

export function absentListRoutes(app: App): void {
  for (const { path, key, access, until } of LISTS) {
    const details = { list: key, ...(until === undefined ? {} : { until }) };
    app.get(path, described(access, `List ${key.replaceAll('_', ' ')}: always none`, details), async () => ({
      [key]: [],
    }));
  }
}
