/**
 * The network service of the façade: the parts of Neutron's API v2.0 that apply to machines.
 */
import type { DhcpRange } from '../../network-service/addresses.ts';
import { NetworkError } from '../../network-service/network-error.ts';
import type { CloudService } from '../cloud/cloud-service.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { registerAbsentResources } from './absent-resources.ts';
import type { Collection, Tagged } from './collection.ts';
import { registerCollection } from './collection-routes.ts';
import { registerIpAvailability } from './ip-availability.ts';
import { networkCollection } from './networks.ts';
import { portCollection } from './ports.ts';
import { registerQuotas } from './quotas.ts';
import { subnetCollection } from './subnets.ts';
import { registerTags } from './tag-routes.ts';
import { registerVersionDocuments } from './version-documents.ts';

/** Names of errors without a name of their own. */
const TYPES: Readonly<Record<string, string>> = {
  notFound: 'HTTPNotFound',
  forbidden: 'PolicyNotAuthorized',
  unauthorized: 'HTTPUnauthorized',
  conflict: 'Conflict',
  internal: 'HTTPInternalServerError',
};

/** `dhcp`: the network that our DHCP server serves; null when DHCP is off. */
export function createNetworkService(dhcp: DhcpRange | null): CloudService {
  return {
    type: 'network',
    prefix: '/network',
    errorBody(status, message, code, error) {
      const unnamed = status < 500 ? 'HTTPBadRequest' : 'HTTPInternalServerError';
      const type = error instanceof NetworkError ? error.type : (TYPES[code] ?? unnamed);
      return { NeutronError: { type, message, detail: '' } };
    },

    register(app, deps) {
      registerVersionDocuments(app, deps);
      registerWithTags(app, deps, networkCollection(deps.now));
      registerWithTags(app, deps, subnetCollection(deps.now));
      registerWithTags(app, deps, portCollection(dhcp, deps.now));
      registerIpAvailability(app, deps);
      registerQuotas(app, deps);
      registerAbsentResources(app);
    },
  };
}

function registerWithTags<T extends Tagged>(app: App, deps: ComputeDeps, of: Collection<T>): void {
  registerCollection(app, deps, of);
  registerTags(app, deps, of);
}
