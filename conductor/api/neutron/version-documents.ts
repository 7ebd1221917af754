/**
 * Version documents of the network service: its only version, its resources, and the supported extensions of Neutron.
 */

import type { FastifyRequest } from 'fastify';
import { refused } from '../../network-service/network-error.ts';
import { described } from '../cloud/cloud-route.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { VERSION, versionUrl } from './collection.ts';

const RESOURCES = { network: 'networks', subnet: 'subnets', port: 'ports' } as const;

/** Only extensions that work as documented, because clients check the list before they use one. */
const EXTENSIONS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  binding: ['Port Binding', 'Where ports are bound: the node, and the switch ports its cables go to'],
  'external-net': ['Neutron external network', 'Networks that lead outside'],
  'net-mtu': ['Network MTU', 'MTU of networks'],
  'net-mtu-writable': ['Network MTU (writable)', 'MTU of networks can be changed'],
  'network-ip-availability': ['Network IP Availability', 'How many addresses networks have and use'],
  'ip-substring-filtering': ['IP address substring filtering', 'Ports found by a part of an address'],
  pagination: ['Pagination support', 'Lists in pages'],
  'project-id': ['project_id field enabled', 'project_id beside tenant_id'],
  provider: ['Provider Network', 'Which wire and VLAN a network is'],
  quotas: ['Quota management support', 'Quotas can be read'],
  sorting: ['Sorting support', 'Sorted lists'],
  'standard-attr-description': ['standard-attr-description', 'Descriptions'],
  'standard-attr-tag': ['Tag support for resources with standard attribute', 'Tags'],
  'standard-attr-timestamp': ['Resource timestamps', 'When resources were made and changed'],
  'tag-ports-during-bulk-creation': ['Tag Ports During Bulk Creation', 'New ports with tags'],
};
const UPDATED = '2026-01-01T00:00:00-00:00';

const extensionOf = (alias: string, [name, description]: readonly [string, string]) => ({
  ...{ alias, name, description, updated: UPDATED, links: [] },
});

export function registerVersionDocuments(app: App, deps: ComputeDeps): void {
  const self = (href: string) => [{ href, rel: 'self' }];

  app.get(
    '/',
    described('public', 'List the versions of the network API', { list: 'versions' }),
    async (request) => ({
      versions: [{ id: 'v2.0', status: 'CURRENT', links: self(`${versionUrl(request, deps)}/`) }],
    }),
  );
  app.get(
    VERSION,
    described('reader', 'List the resources of the network API', { list: 'resources' }),
    async (request: FastifyRequest) => ({
      resources: Object.entries(RESOURCES).map(([name, collection]) => ({
        ...{ name, collection, links: self(`${versionUrl(request, deps)}/${collection}`) },
      })),
    }),
  );
  app.get(
    `${VERSION}/extensions`,
    described('reader', 'List the extensions of the network API', { list: 'extensions' }),
    async () => ({
      extensions: Object.entries(EXTENSIONS).map(([alias, about]) => extensionOf(alias, about)),
    }),
  );
  app.get(
    `${VERSION}/extensions/:alias`,
    described('reader', 'Show an extension of the network API', { item: 'extension' }),
    async (request) => {
      const { alias } = request.params as { readonly alias: string };
      const about = Object.hasOwn(EXTENSIONS, alias) ? EXTENSIONS[alias] : undefined;
      if (about === undefined) throw refused.extensionNotFound(alias.slice(0, 64));
      return { extension: extensionOf(alias, about) };
    },
  );
}
