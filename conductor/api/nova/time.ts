/**
 * Nova's two ways to write a time, both UTC.
 */

/** `2026-11-21T11:14:27Z`, as servers have it. */
export const zuluTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** `2026-11-21T11:14:27.000000`, as everything else has it. */
export const naiveTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000`;
