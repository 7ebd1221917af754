/**
 * The services of a conductor and their URLs, for catalogs and for the lists of services and endpoints.
 */
import type { JsonObject } from '../../domain/json.ts';

export interface Place {
  /** `http://host:port` of the façade, without a trailing slash. */
  readonly base: string;
  /** URL of the bare-metal API. */
  readonly bareMetal: string;
  readonly region: string;
}

/** The façade's four services share one port, with the paths of devstack. */
const SERVICES = [
  { type: 'identity', name: 'keystone', url: ({ base }: Place) => `${base}/identity` },
  { type: 'compute', name: 'nova', url: ({ base }: Place) => `${base}/compute/v2.1` },
  { type: 'image', name: 'glance', url: ({ base }: Place) => `${base}/image` },
  { type: 'network', name: 'neutron', url: ({ base }: Place) => `${base}/network` },
  { type: 'baremetal', name: 'ironic', url: ({ bareMetal }: Place) => bareMetal },
] as const;

const INTERFACES = ['public', 'internal', 'admin'] as const;

/** With endpoints, as in tokens. */
export function catalogOf(place: Place): JsonObject[] {
  return SERVICES.map(({ type, name, url }) => ({
    id: type,
    type,
    name,
    endpoints: INTERFACES.map((one) => ({
      id: `${type}-${one}`,
      interface: one,
      region: place.region,
      region_id: place.region,
      url: url(place),
    })),
  }));
}

export const servicesList = (): JsonObject[] =>
  SERVICES.map(({ type, name }) => ({ id: type, type, name, description: '', enabled: true }));

export const endpointsList = (place: Place): JsonObject[] =>
  SERVICES.flatMap(({ type, url }) =>
    INTERFACES.map((one) => ({
      id: `${type}-${one}`,
      service_id: type,
      interface: one,
      region: place.region,
      region_id: place.region,
      url: url(place),
      enabled: true,
    })),
  );
