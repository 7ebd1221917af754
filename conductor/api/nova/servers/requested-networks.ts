/**
 * The networks of a request for servers, from the body to the domain's type. Whether they exist is checked later.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { RequestedNetwork, RequestedNetworks } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { CreateServer, WantedNetwork } from './create-body.ts';

/** Without networks, or with an empty list, the request means `auto`. Throws invalidParameter. */
export function parseNetworks(asked: CreateServer['networks'], count: number): RequestedNetworks {
  if (asked === undefined || asked.length === 0) return 'auto';
  if (typeof asked === 'string') return asked;
  const ports = new Set<string>();
  for (const { port } of asked) {
    if (!port) continue;
    if (ports.has(port)) {
      throw wrong(`Port ID '${port}' was specified twice: you cannot attach a port multiple times.`);
    }
    ports.add(port);
  }
  return asked.map((network) => parseNetwork(network, count));
}

function parseNetwork(
  { uuid, port, fixed_ip: address, tag }: WantedNetwork,
  count: number,
): RequestedNetwork {
  const tagged = tag === undefined ? {} : { tag };
  if (port) {
    if (address !== undefined) {
      throw wrong(
        `Specified Fixed IP '${address}' cannot be used with port '${port}': the two cannot be specified together.`,
      );
    }
    if (count > 1) {
      throw wrong(
        'Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.',
      );
    }
    return { portUuid: port, ...tagged };
  }
  if (uuid === undefined) throw wrong("Bad network format: missing 'uuid'");
  if (!isUuid(uuid)) throw wrong(`Bad networks format: network uuid is not in proper format (${uuid})`);
  if (address !== undefined && count > 1) {
    throw wrong(
      'Failed to launch instances: max_count cannot be greater than 1 if an fixed_ip is specified.',
    );
  }
  return { networkUuid: uuid, ...(address === undefined ? {} : { fixedIp: address }), ...tagged };
}

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
