/**
 * The environment of child processes: nothing of the conductor's own, which may contain passwords such as
 * INGOT_KEYSTONE_PASSWORD.
 */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Options of execa. */
export const childEnvironment = () => ({
  extendEnv: false as const,
  env: { PATH: process.env['PATH'] ?? DEFAULT_PATH, LANG: 'C', LC_ALL: 'C' },
});
