/**
 * `GET /` and `GET /v1`: the supported versions, and the collections of the API.
 */
import { MAX_MINOR, MIN_MINOR, versionText } from '@ingot/shared/ironic/versions.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import type { ApiDeps } from '../deps.ts';

/** Top-level collections and the first version that shows them. */
const OPERATOR_RESOURCES: Readonly<Record<string, number>> = {
  nodes: 1,
  ports: 1,
  drivers: 1,
  chassis: 1,
  portgroups: 23,
  volume: 32,
  conductors: 49,
  allocations: 52,
  events: 54,
  deploy_templates: 55,
  shards: 82,
  runbooks: 92,
  inspection_rules: 96,
};
const RAMDISK_RESOURCES: Readonly<Record<string, number>> = {
  lookup: 22,
  heartbeat: 22,
  continue_inspection: 84,
};

const versionDocument = (base: string) => ({
  id: 'v1',
  links: [{ href: `${base}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: versionText(MIN_MINOR),
  version: versionText(MAX_MINOR),
});

export function registerVersionDocuments(app: App, deps: ApiDeps, audience: 'operator' | 'ramdisk'): void {
  const resources = {
    ...(audience === 'operator' ? OPERATOR_RESOURCES : {}),
    ...(audience === 'operator' && deps.ramdiskApart === true ? {} : RAMDISK_RESOURCES),
  };

  app.get('/', { config: { doc: { summary: 'Versions of the API', query: 'any' } } }, async (request) => {
    const version = versionDocument(baseUrlOf(request, deps.config.publicEndpoint));
    return {
      name: 'OpenStack Ironic API',
      description: 'Bare metal provisioning by Ingot, speaking the Ironic API.',
      default_version: version,
      versions: [version],
    };
  });

  app.get(
    '/v1',
    { config: { doc: { summary: 'Collections of version 1', query: 'any' } } },
    async (request) => {
      const base = baseUrlOf(request, deps.config.publicEndpoint);
      const shown = Object.keys(resources).filter((name) => (resources[name] ?? 0) <= request.minor);
      return {
        id: 'v1',
        links: [{ href: `${base}/v1/`, rel: 'self' }],
        media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
        version: versionDocument(base),
        ...Object.fromEntries(shown.map((name) => [name, selfAndBookmark(base, `${name}/`)])),
      };
    },
  );
}
