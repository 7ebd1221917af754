/**
 * Nova's two forms of times, both in UTC.
 */

/** `2026-11-21T11:14:27Z`, in servers. */
export const zuluTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** `2026-11-21T11:14:27.000000`, everywhere else. */
export const naiveTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000`;
