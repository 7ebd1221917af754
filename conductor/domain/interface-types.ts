/** Ironic's thirteen interface types; `<type>_interface` on the wire. */
export const INTERFACE_TYPES = [
  'bios',
  'boot',
  'console',
  'deploy',
  'firmware',
  'inspect',
  'management',
  'network',
  'power',
  'raid',
  'rescue',
  'storage',
  'vendor',
] as const;

export type InterfaceType = (typeof INTERFACE_TYPES)[number];
