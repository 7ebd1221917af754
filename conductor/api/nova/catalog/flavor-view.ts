/**
 * Flavors as Nova shows them.
 */
import type { FastifyRequest } from 'fastify';
import type { Flavor } from '../../../domain/compute.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { itemLinks } from '../links.ts';

/** First microversions of these fields. */
export const DESCRIPTION = 55;
const EXTRA_SPECS = 61;
const SWAP_IS_NUMBER = 75;

/** The short form in GET /flavors. */
export function flavorSummary(flavor: Flavor, request: FastifyRequest, publicEndpoint: string | null) {
  return {
    id: flavor.uuid,
    name: flavor.name,
    ...describe(flavor, request),
    links: itemLinks(request, publicEndpoint, `flavors/${encodeURIComponent(flavor.uuid)}`),
  };
}

export function flavorDetail(flavor: Flavor, request: FastifyRequest, publicEndpoint: string | null) {
  const { minor } = request;
  return {
    ...flavorSummary(flavor, request, publicEndpoint),
    ram: flavor.ramMb,
    disk: flavor.rootGb,
    swap: flavor.swapMb === 0 && minor < SWAP_IS_NUMBER ? '' : flavor.swapMb,
    'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeralGb,
    'OS-FLV-DISABLED:disabled': flavor.isDisabled,
    vcpus: flavor.vcpus,
    'os-flavor-access:is_public': flavor.isPublic,
    rxtx_factor: flavor.rxtxFactor,
    ...(minor >= EXTRA_SPECS ? { extra_specs: flavor.extraSpecs } : {}),
  };
}

const describe = ({ description }: Flavor, { minor }: FastifyRequest): JsonObject =>
  minor >= DESCRIPTION ? { description } : {};
