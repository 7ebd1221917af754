/**
 * The unmodified `baremetal` client (Debian's python3-ironicclient).
 */
import { type Ran, runCommands } from './interactive-client.ts';

export const runBaremetal = (endpoint: string, commands: readonly string[]): Promise<Ran[]> =>
  runCommands(
    {
      program: '/usr/bin/baremetal',
      env: { OS_AUTH_TYPE: 'none', OS_ENDPOINT: endpoint },
      mark: {
        command: 'node show end-of-command',
        answer: /^.*Node end-of-command could not be found.*$/m,
      },
    },
    commands.map((command) => ({ command })),
  );
