/**
 * `local_link_connection` of a port: the switch port to which it is connected. Pure.
 */
import { parseMac } from './boot.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** A port of an OVN virtual tunnel end point. API 1.90. */
const VTEP_KEYS = ['vtep-logical-switch', 'vtep-physical-switch'];
const KEYS = ['switch_id', 'port_id', 'switch_info', 'hostname', 'network_type', ...VTEP_KEYS];
/** OpenFlow datapath id: 64 bits in hex. */
const DATAPATH_ID = /^(0x)?[0-9a-f]{16}$/i;

export const isVtepLink = (link: JsonObject): boolean => VTEP_KEYS.some((key) => Object.hasOwn(link, key));

/** Why the connection is invalid, as a sentence; undefined when it is valid. `{}` means no connection. */
export function badLocalLink(link: JsonObject): string | undefined {
  if (!isJsonObject(link) || Object.keys(link).length === 0) return undefined;
  const unknown = Object.keys(link).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `"${unknown}" is no key of it; keys are ${KEYS.join(', ')}`;
  const text = Object.keys(link).find((key) => typeof link[key] !== 'string');
  if (text !== undefined) return `"${text}" must be a text`;
  const { network_type: type, switch_id: switchId, port_id: portId, hostname } = link;
  if (type !== undefined) return type === 'unmanaged' ? undefined : '"network_type" can only be unmanaged';
  if (portId === undefined) return '"port_id" is missing';
  if (isVtepLink(link)) {
    const missing = VTEP_KEYS.find((key) => link[key] === undefined);
    return missing === undefined ? undefined : `"${missing}" is missing`;
  }
  if (switchId === undefined && hostname === undefined) {
    return '"switch_id" is missing, or "hostname" for a smart NIC';
  }
  if (switchId === undefined) return undefined;
  const fits = parseMac(String(switchId)) !== undefined || DATAPATH_ID.test(String(switchId));
  return fits
    ? undefined
    : `"switch_id" must be a MAC address or an OpenFlow datapath ID, not ${String(switchId)}`;
}
