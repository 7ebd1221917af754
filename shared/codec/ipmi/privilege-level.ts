/** Privilege levels (IPMI 2.0 section 6.8), spelled as in Ironic's `ipmi_priv_level`. */
export const PRIVILEGE_LEVELS = { CALLBACK: 1, USER: 2, OPERATOR: 3, ADMINISTRATOR: 4 } as const;

export type PrivilegeLevel = keyof typeof PRIVILEGE_LEVELS;

export const isPrivilegeLevel = (text: string): text is PrivilegeLevel =>
  Object.hasOwn(PRIVILEGE_LEVELS, text);
