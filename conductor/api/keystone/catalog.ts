/**
 * The services of a conductor and where they are, as catalogs and the lists of services and endpoints show them.
 */
import type { JsonObject } from '../../domain/json.ts';

export interface Place {
  /** `http://host:port` of the façade, no trailing slash. */
  readonly base: string;
  /** Of the bare-metal API. */
  readonly bareMetal: string;
  readonly region: string;
}

/** One port for the façade's four, below paths as devstack has them. */
const SERVICES = [
  { type: 'identity', name: 'keystone', url: ({ base }: Place) => `${base}/identity` },
  { type: 'compute', name: 'nova', url: ({ base }: Place) => `${base}/compute/v2.1` },
  { type: 'image', name: 'glance', url: ({ base }: Place) => `${base}/image` },
  { type: 'network', name: 'neutron', url: ({ base }: Place) => `${base}/network` },
  { type: 'baremetal', name: 'ironic', url: ({ bareMetal }: Place) => bareMetal },
] as const;

const INTERFACES = ['public', 'internal', 'admin'] as const;

/** With endpoints inside, as tokens carry it. */
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
