/**
 * The contents of a server's config drive in OpenStack's form (Nova's metadata format `latest`), as the object from
 * which the deployment builds a file system. Pure.
 */
import type { Server } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { ServerAddress } from '../network-service/server-networks.ts';

export interface ConfigDriveExtras {
  /** `{links, networks, services}`. */
  readonly networkData: JsonObject;
  /** Data that the cloud gives to all its servers; null for none. */
  readonly vendorData: JsonObject | null;
  /** The availability zone of the server's node. */
  readonly availabilityZone: string;
  /** base64, for the server's random number generator. Nova gives 512 bytes. */
  readonly randomSeed?: string;
}

/**
 * `{meta_data, network_data, user_data?, vendor_data?, files?}`. `files` has binary contents and other paths: path
 * inside `openstack/` -> base64. Contains the administrator's password while the server has one.
 */
export function configDriveOf(
  server: Server,
  addresses: readonly ServerAddress[],
  extras: ConfigDriveExtras,
): JsonObject {
  const user = userDataOf(server.userData);
  const files = {
    ...user.files,
    ...Object.fromEntries(personalityOf(server).map(({ place, contents }) => [place, contents])),
  };
  return {
    meta_data: metaDataOf(server, addresses, extras),
    network_data: extras.networkData,
    ...(user.text === undefined ? {} : { user_data: user.text }),
    ...(extras.vendorData === null ? {} : { vendor_data: extras.vendorData }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
  };
}

/** Keys that Nova omits without a value are omitted here, too, because programs test whether a key exists. */
function metaDataOf(
  server: Server,
  addresses: readonly ServerAddress[],
  { availabilityZone, randomSeed }: ConfigDriveExtras,
): JsonObject {
  const { uuid, name, hostname, launchIndex, projectId, metadata, adminPass } = server;
  const files = personalityOf(server).map(({ place, path }) => ({ content_path: `/${place}`, path }));
  return {
    uuid,
    ...(Object.keys(metadata).length === 0 ? {} : { meta: metadata }),
    ...(files.length === 0 ? {} : { files }),
    ...(adminPass === null ? {} : { admin_pass: adminPass }),
    ...keysOf(server),
    hostname,
    name,
    launch_index: launchIndex,
    availability_zone: availabilityZone,
    ...(randomSeed === undefined ? {} : { random_seed: randomSeed }),
    project_id: projectId,
    devices: addresses.flatMap(deviceOf),
    dedicated_cpus: [],
  };
}

function keysOf({ keyName, publicKey }: Server): JsonObject {
  if (keyName === null || publicKey === null) return {};
  const type = publicKey.startsWith('-----BEGIN CERTIFICATE') ? 'x509' : 'ssh';
  return {
    public_keys: { [keyName]: publicKey },
    keys: [{ name: keyName, type, data: publicKey }],
  };
}

/** Devices are listed by their tags. The conductor does not know their buses. */
const deviceOf = ({ port, tag }: ServerAddress): JsonObject[] =>
  tag === undefined
    ? []
    : [{ type: 'nic', mac: port.macAddress, bus: 'none', address: 'none', vf_trusted: false, tags: [tag] }];

const personalityOf = ({ personality }: Server) =>
  personality.map(({ path, contents }, index) => ({
    place: `content/${String(index).padStart(4, '0')}`,
    path,
    contents,
  }));

/** User data may be any bytes. Text stays text, so that the object is readable. */
function userDataOf(base64: string | null): {
  readonly text?: string;
  readonly files: Readonly<Record<string, string>>;
} {
  if (base64 === null || base64 === '') return { files: {} };
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes)
    ? { text, files: {} }
    : { files: { 'latest/user_data': base64 } };
}
