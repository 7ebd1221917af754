/**
 * UUIDs and names as they appear in paths and bodies.
 */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** RFC 3986 unreserved characters. */
const LOGICAL_NAME = /^[A-Za-z0-9\-._~]{1,255}$/;
/** RFC 952 and 1123, the rule before API 1.10. */
const HOST_NAME =
  /^(?=.{1,255}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

export const isUuid = (text: string): boolean => UUID.test(text);
export const isLogicalName = (text: string): boolean => LOGICAL_NAME.test(text);

/** Words that follow `/v1/nodes/` or a node in paths, so a node can not have them as name. */
export const RESERVED_NODE_NAMES: readonly string[] = [
  'allocation',
  'bios',
  'children',
  'detail',
  'firmware',
  'history',
  'inventory',
  'maintenance',
  'management',
  'portgroups',
  'ports',
  'states',
  'traits',
  'validate',
  'vendor_passthru',
  'vifs',
  'vmedia',
  'volume',
];

/** Why `name` can not be the name of a node at API 1.`minor`, or undefined when it can. */
export function badNodeName(name: string, minor: number): string | undefined {
  if (RESERVED_NODE_NAMES.includes(name)) {
    return `The word "${name}" is reserved and can not be used as a node name. Reserved words are: ${RESERVED_NODE_NAMES.join(', ')}.`;
  }
  if (isUuid(name)) return 'a name must not look like a UUID';
  if (minor < 10)
    return HOST_NAME.test(name) ? undefined : 'a name must be a host name before API version 1.10';
  return isLogicalName(name) ? undefined : 'a name has 1 to 255 letters, digits, "-", ".", "_" or "~"';
}
