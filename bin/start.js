/**
 * The program behind the `ingot` command. Parts are loaded when a command needs them.
 */
import { main } from '../conductor/cli/main.ts';

/** Runs a command line; resolves with its exit code. */
export const start = (argv) =>
  main(argv, {
    createApp: async () => (await import('../conductor/app/app.ts')).createApp,
    rotateSecrets: async () => (await import('../conductor/app/rotate-secrets.ts')).rotateSecrets,
    apiDocument: async () => (await import('../conductor/api/ironic/api.ts')).apiDocument(),
    computeDocument: async () => (await import('../conductor/app/compute-document.ts')).computeDocument(),
    ramdiskCommand: async () => (await import('../ramdisk-build/command.ts')).ramdiskCommand(),
  });
