/**
 * What a node needs to become a server: instance_info as Nova's ironic driver writes it, and the config drive. Pure.
 */
import type { Server } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';

const CAPABILITY = /^capabilities:(.+)$/;
const TRAIT = /^trait[^:]*:(.+)$/;

/** @param image instance_info of the image: image_source and others */
export function instanceInfoFor(server: Server, image: Readonly<Record<string, string>>): JsonObject {
  const { flavor } = server;
  const specs = Object.entries(flavor.extraSpecs);
  const capabilities = Object.fromEntries(
    specs.flatMap(([key, value]) => {
      const name = CAPABILITY.exec(key)?.[1];
      return name === undefined ? [] : [[name, value]];
    }),
  );
  const traits = specs.flatMap(([key, value]) => {
    const name = TRAIT.exec(key)?.[1];
    return name === undefined || value !== 'required' ? [] : [name];
  });
  return {
    ...image,
    display_name: server.name,
    vcpus: String(flavor.vcpus),
    memory_mb: String(flavor.ramMb),
    root_gb: String(flavor.rootGb),
    swap_mb: String(flavor.swapMb),
    ...(flavor.ephemeralGb > 0 ? { ephemeral_gb: String(flavor.ephemeralGb) } : {}),
    flavor_name: flavor.name,
    project_id: server.projectId,
    user_id: server.userId,
    // JSON in a string is what Ironic's deploy interfaces read
    ...(Object.keys(capabilities).length > 0 ? { capabilities: JSON.stringify(capabilities) } : {}),
    traits,
  };
}
