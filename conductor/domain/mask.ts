/** Replaces secrets in answers and rows. */
export const MASK = '******';
