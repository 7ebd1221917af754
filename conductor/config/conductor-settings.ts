/**
 * Settings of the conductor as a whole.
 */
import type { Settings } from '../domain/setting.ts';

export const CONDUCTOR_SETTINGS = {
  dataDir: {
    name: 'data_dir',
    type: 'path',
    default: './data',
    flag: '--data <dir>',
    help: 'Directory for the database, the image cache and everything else that must survive a restart. Created if missing.',
  },
  host: {
    name: 'host',
    type: 'text',
    default: null,
    help: "Name of this conductor, shown as `conductor` and `reservation` of nodes. Unset: the machine's host name. Do not change it while operations are running.",
  },
  conductorGroup: {
    name: 'conductor_group',
    type: 'text',
    default: null,
    help: 'This conductor serves the nodes with this `conductor_group`. Unset: nodes without a group.',
  },
  interface: {
    name: 'interface',
    type: 'text',
    default: null,
    flag: '--interface <name>',
    help: 'Network interface on the provisioning network. DHCP, TFTP and the boot HTTP server listen on its first IPv4 address. Unset: no network boot.',
  },
  logLevel: {
    name: 'log_level',
    type: 'choice',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
    default: 'info',
    flag: '--log-level <level>',
    help: 'Lowest level of messages that are logged.',
  },
} as const satisfies Settings;
