/**
 * The networks a server asks for, put right as far as that takes no look at the networks themselves.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ServerRequest } from '../../../servers/instances.ts';
import type { CreateServer, WantedNetwork } from './create-body.ts';

/** Nothing, and an empty list, is what the tenant has. Throws invalidParameter. */
export function wantedNetworks(asked: CreateServer['networks'], count: number): ServerRequest['networks'] {
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
  return asked.map((network) => wantedNetwork(network, count));
}

function wantedNetwork({ uuid, port, fixed_ip: address, tag }: WantedNetwork, count: number): JsonObject {
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
    return { port, ...(tag === undefined ? {} : { tag }) };
  }
  if (uuid === undefined) throw wrong("Bad network format: missing 'uuid'");
  if (!isUuid(uuid)) throw wrong(`Bad networks format: network uuid is not in proper format (${uuid})`);
  if (address !== undefined && count > 1) {
    throw wrong(
      'Failed to launch instances: max_count cannot be greater than 1 if an fixed_ip is specified.',
    );
  }
  return {
    uuid,
    ...(address === undefined ? {} : { fixed_ip: address }),
    ...(tag === undefined ? {} : { tag }),
  };
}

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
