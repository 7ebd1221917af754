/**
 * Collections of the bare-metal API: the kit's collections, with Ironic's policies for what a caller sees.
 */
import { allows, type PolicyName } from '../../domain/policy.ts';
import type { Recorded } from '../../domain/resources.ts';
import type { App } from '../kit/app.ts';
import type { Collection, CollectionHost, CollectionRoutes } from '../kit/collection.ts';
import { registerCollection as registerRoutes } from '../kit/collection-routes.ts';
import type { Arguments } from '../kit/query.ts';
import { listedProject, sees } from './auth/visibility.ts';
import type { ApiDeps } from './deps.ts';

const hostOf = ({ store, config }: ApiDeps): CollectionHost => ({
  publicEndpoint: config.publicEndpoint,
  maxLimit: config.maxLimit,
  sees: (request, record) => sees(request, store.nodes, record),
  listedProject: (request) => listedProject(request),
  redacted({ caller }, policy) {
    if (caller === null || allows(caller, policy as PolicyName)) return undefined;
    return { redacted_contents: `** Redacted - requires baremetal:${policy} permission. **` };
  },
});

export const registerCollection = <T extends Recorded, A extends Arguments>(
  app: App,
  deps: ApiDeps,
  collection: Collection<T, A>,
): CollectionRoutes<T, A> => registerRoutes(app, hostOf(deps), collection);
