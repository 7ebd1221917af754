/**
 * Nova's /extensions: a fixed list since the first microversion, for clients that read it before they use a feature.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { App } from '../../kit/app.ts';
import { EXTENSIONS, LEGACY_EXTENSION } from './extension-list.ts';

interface Extension {
  readonly alias: string;
  readonly name: string;
  readonly description: string;
  readonly namespace: string;
  readonly updated: string;
  readonly links: readonly never[];
}

const extensionOf = ([alias, name, description]: readonly [string, string, string]): Extension => ({
  ...{ alias, name, description },
  namespace: 'http://docs.openstack.org/compute/ext/fake_xml',
  updated: '2014-12-03T00:00:00Z',
  links: [],
});
const CURRENT = EXTENSIONS.map(extensionOf);
/** The API before microversions has one more. */
const LEGACY = [...CURRENT, extensionOf(LEGACY_EXTENSION)].toSorted((a, b) => (a.alias < b.alias ? -1 : 1));

const extensionsIn = ({ minor }: FastifyRequest): readonly Extension[] => (minor === 0 ? LEGACY : CURRENT);

export function extensionRoutes(app: App): void {
  app.get(
    '/extensions',
    described('reader', 'List the extensions of the API', { list: 'extensions' }),
    async (request) => ({ extensions: extensionsIn(request) }),
  );
  app.get<{ Params: { alias: string } }>(
    '/extensions/:alias',
    described('reader', 'Show an extension of the API', { item: 'extension' }),
    async (request) => {
      const extension = extensionsIn(request).find(({ alias }) => alias === request.params.alias);
      if (extension === undefined) throw new IngotError('notFound', 'The resource could not be found.');
      return { extension };
    },
  );
}
