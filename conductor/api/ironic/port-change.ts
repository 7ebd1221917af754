/**
 * Converts the values of a POST or PATCH of a port to a change of the stored port, and checks the rules between its
 * fields and those of its port group.
 */
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { badLocalLink, isVtepLink } from '../../domain/local-link.ts';
import type { Port, PortPatch } from '../../domain/node.ts';
import type { Store } from '../../domain/store/store.ts';
import { requireVersion } from '../kit/microversion.ts';
import type { FieldValues } from '../kit/resource-body.ts';
import { macOf } from './mac.ts';

/** Only API 1.90 to 1.104 allow a VTEP in local_link_connection. */
export const VTEP_SINCE = 90;
export const NO_VTEP_SINCE = 105;

/** `present` is the stored port of a PATCH. Throws invalidParameter, notAcceptable, or conflict with the port group. */
export async function portChange(
  store: Store,
  request: FastifyRequest,
  values: FieldValues,
  nodeUuid: string,
  present?: Port,
): Promise<PortPatch> {
  const { uuid: _uuid, nodeUuid: given, nodeIdent: _ident, address, name, ...fields } = values;
  if (typeof name === 'string' && name !== '' && (!isLogicalName(name) || isUuid(name))) {
    throw new IngotError(
      'invalidParameter',
      `Cannot use the name '${name}' for a port: a name has 1 to 255 letters, digits, "-", ".", "_" or "~" and does not look like a UUID.`,
    );
  }
  if (fields['physicalNetwork'] === '') {
    throw new IngotError('invalidParameter', 'A non-empty value is required when setting physical_network');
  }
  const connection = (fields['localLinkConnection'] ?? {}) as JsonObject;
  if (isVtepLink(connection)) {
    requireVersion(request, VTEP_SINCE, 'A VTEP in local_link_connection');
    if (request.minor >= NO_VTEP_SINCE) {
      throw new IngotError(
        'notAcceptable',
        `A VTEP in local_link_connection ended with API 1.${NO_VTEP_SINCE - 1}.`,
      );
    }
  }
  const link = badLocalLink(connection);
  if (link !== undefined) {
    throw new IngotError('invalidParameter', `Schema error for local_link_connection: ${link}.`);
  }
  const { portgroupUuid = present?.portgroupUuid, pxeEnabled = present?.pxeEnabled ?? true } = fields;
  if (portgroupUuid != null)
    await checkPortgroup(store, String(portgroupUuid), nodeUuid, pxeEnabled === true);
  return {
    ...(fields as PortPatch),
    // An empty name is stored as null, because names are unique.
    ...(name === undefined ? {} : { name: name === '' ? null : (name as string | null) }),
    ...(address === undefined ? {} : { address: macOf(address) }),
    ...(given === undefined ? {} : { nodeUuid }),
  };
}

async function checkPortgroup(
  store: Store,
  uuid: string,
  nodeUuid: string,
  pxeEnabled: boolean,
): Promise<void> {
  const portgroup = await store.portgroups.get(uuid);
  if (portgroup.nodeUuid !== nodeUuid) {
    throw new IngotError(
      'invalidParameter',
      `Port can not be in portgroup ${uuid}: that one is of node ${portgroup.nodeUuid}, the port of node ${nodeUuid}.`,
    );
  }
  if (portgroup.standalonePortsSupported || !pxeEnabled) return;
  throw new IngotError(
    'conflict',
    `Port group ${uuid} doesn't support standalone ports: a port with "pxe_enabled" can not be in it. Set pxe_enabled to false, or standalone_ports_supported of the port group to true.`,
  );
}
