/**
 * Every setting of the conductor, once. Defaults, the file, INGOT_* variables, flags, `--print-config` and
 * docs/configuration.md all follow from this table.
 *
 * A setting is called `name` in the file (dots nest) and INGOT_NAME in the environment.
 */
import { COMPUTE_SETTINGS } from './compute-settings.ts';

export type SettingType =
  | 'text'
  | 'path'
  | 'integer'
  | 'number'
  | 'flag'
  | 'choice'
  | 'hostPort'
  | 'ipv4'
  | 'url'
  | 'delay'
  | 'list';

export interface Setting {
  readonly name: string;
  readonly type: SettingType;
  /** null: not set. */
  readonly default: string | number | boolean | readonly string[] | null;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly unit?: string;
  /** Command line form, for the few that have one. */
  readonly flag?: string;
  /** Never printed. */
  readonly secret?: boolean;
  readonly help: string;
}

const DAY = 86_400;

/** Ironic's `[fake] *_delay`. */
const fakeDelay = (type: string) =>
  ({
    name: `fake.${type}_delay`,
    type: 'delay',
    default: '0',
    unit: 'seconds',
    help: `How long an action of the fake ${type} interface takes: \`2\`, or \`2,10\` for two to ten seconds, most often near two.`,
  }) as const satisfies Setting;

export const SETTINGS = {
  dataDir: {
    name: 'data_dir',
    type: 'path',
    default: './data',
    flag: '--data <dir>',
    help: 'Directory of the database, the image cache and everything else that must survive a restart. Made if it is missing.',
  },
  host: {
    name: 'host',
    type: 'text',
    default: null,
    help: "Name of this conductor, shown as `conductor` and `reservation` of nodes. Unset: the machine's host name. It must not change while nodes are at work.",
  },
  conductorGroup: {
    name: 'conductor_group',
    type: 'text',
    default: null,
    help: 'Group of nodes this conductor serves: their `conductor_group`. Unset: nodes of no group.',
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
    help: 'How much is logged.',
  },

  listen: {
    name: 'api.listen',
    type: 'hostPort',
    default: '127.0.0.1:6385',
    flag: '--listen <host:port>',
    help: "Address of the operators' API.",
  },
  publicEndpoint: {
    name: 'api.public_endpoint',
    type: 'url',
    default: null,
    help: 'Base URL of links in answers, when clients reach the API by another one than they send in Host: behind a proxy, say.',
  },
  auth: {
    name: 'api.auth',
    type: 'choice',
    choices: ['none', 'http_basic', 'keystone'],
    default: 'none',
    help: '`none` lets everybody in and is refused unless the API listens on a loopback address; `http_basic` asks for a name and password of `api.htpasswd_file`; `keystone` for a token of an OpenStack Keystone, whose roles count.',
  },
  htpasswdFile: {
    name: 'api.htpasswd_file',
    type: 'path',
    default: null,
    help: 'Users of `http_basic`, lines of `name:bcrypt-hash` as `htpasswd -B` writes them. Read again when it changes.',
  },
  forceInsecure: {
    name: 'api.force_insecure',
    type: 'flag',
    default: false,
    flag: '--force-insecure',
    help: 'Start without authentication on an address that others can reach. For closed laboratories.',
  },
  keystoneAuthUrl: {
    name: 'keystone.auth_url',
    type: 'url',
    default: null,
    help: 'Keystone (Identity API v3) that tokens are checked against, with `api.auth` keystone. The password and all tokens travel there: https, unless it is on this machine.',
  },
  keystonePublicUrl: {
    name: 'keystone.www_authenticate_uri',
    type: 'url',
    default: null,
    help: 'Keystone as callers reach it, told to those who come without a token. Unset: `keystone.auth_url`.',
  },
  keystoneUsername: {
    name: 'keystone.username',
    type: 'text',
    default: null,
    help: 'User of the conductor in Keystone. It must be allowed to validate tokens: the role `service` in the service project, or `reader` with system scope.',
  },
  keystonePassword: {
    name: 'keystone.password',
    type: 'text',
    default: null,
    secret: true,
    help: 'Password of that user. Better in the environment than in a file that others can read.',
  },
  keystoneUserDomain: {
    name: 'keystone.user_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that user.',
  },
  keystoneProject: {
    name: 'keystone.project',
    type: 'text',
    default: null,
    help: 'Name of the project the conductor logs in to. Unset: system scope.',
  },
  keystoneProjectDomain: {
    name: 'keystone.project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project.',
  },
  keystoneCaFile: {
    name: 'keystone.ca_file',
    type: 'path',
    default: null,
    help: "PEM file with the authorities that Keystone's certificate is checked against. Unset: the well-known ones.",
  },
  keystoneTimeoutSeconds: {
    name: 'keystone.timeout_seconds',
    type: 'integer',
    default: 10,
    min: 1,
    max: 120,
    unit: 'seconds',
    help: 'Limit of one call to Keystone; after it the request gets 503.',
  },
  keystoneCacheSeconds: {
    name: 'keystone.cache_seconds',
    type: 'integer',
    default: 300,
    min: 0,
    max: 3600,
    unit: 'seconds',
    help: 'How long an answer about a token is believed. Within it a token goes on while Keystone is down, and a revoked one goes on too.',
  },
  keystoneServiceProject: {
    name: 'keystone.service_project',
    type: 'text',
    default: 'service',
    help: 'Name of the project of other services: there the role `service` has the rights of a system member. Nova needs it.',
  },
  keystoneServiceProjectDomain: {
    name: 'keystone.service_project_domain',
    type: 'text',
    default: 'Default',
    help: 'Name of the domain of that project. One of the same name in another domain has no rights.',
  },
  maxLimit: {
    name: 'api.max_limit',
    type: 'integer',
    default: 1000,
    min: 1,
    max: 10_000,
    unit: 'rows',
    help: 'Largest page of a list.',
  },

  bootPort: {
    name: 'boot.port',
    type: 'integer',
    default: 8089,
    min: 1,
    max: 65_535,
    help: 'TCP port of the HTTP server for booting machines: boot scripts, kernel and ramdisk, images, and the API of the ramdisk.',
  },
  ramdiskDir: {
    name: 'boot.ramdisk_dir',
    type: 'path',
    default: null,
    flag: '--ramdisk <dir>',
    help: 'Directory with `vmlinuz` and `ramdisk.img`, as `ingot ramdisk build` makes them. Unset: `ramdisk` in the data directory.',
  },
  kernelParams: {
    name: 'boot.kernel_params',
    type: 'text',
    default: 'console=tty0 console=ttyS0,115200 nofb vga=normal',
    help: 'Words for the command line of the ramdisk kernel, after those the agent needs. `kernel_append_params` of a node replaces them; `%default%` in it stands for them.',
  },
  bootTimeoutSeconds: {
    name: 'boot.timeout_seconds',
    type: 'integer',
    default: 1800,
    min: 60,
    max: DAY,
    unit: 'seconds',
    help: 'Limit of one network boot, from power-on to the first heartbeat.',
  },
  bootLimitScale: {
    name: 'boot.limit_scale',
    type: 'number',
    default: 1,
    min: 0.1,
    max: 100,
    unit: 'times',
    help: 'Stretches the limit of every single boot step: more for slow firmware or emulated machines.',
  },
  ramdiskCallsPerMinute: {
    name: 'boot.calls_per_minute',
    type: 'integer',
    default: 600,
    min: 10,
    max: 1_000_000,
    unit: 'calls',
    help: 'Lookups, heartbeats and inspections that one address may send in a minute over the provisioning network.',
  },

  tftpRoot: {
    name: 'tftp.root',
    type: 'path',
    default: '/usr/lib/ipxe',
    help: 'Directory with the network boot programs that TFTP serves.',
  },
  tftpPort: {
    name: 'tftp.port',
    type: 'integer',
    default: 69,
    min: 1,
    max: 65_535,
    help: 'UDP port of TFTP. Firmware knows no other than 69.',
  },
  biosLoader: {
    name: 'tftp.bios_loader',
    type: 'text',
    default: 'undionly.kpxe',
    help: 'Network boot program for BIOS machines, a file in `tftp.root`.',
  },
  uefiLoader: {
    name: 'tftp.uefi_loader',
    type: 'text',
    default: 'snponly.efi',
    help: 'Network boot program for 64-bit x86 UEFI machines, a file in `tftp.root`.',
  },
  uefiIa32Loader: {
    name: 'tftp.uefi_ia32_loader',
    type: 'text',
    default: null,
    help: 'Network boot program for machines with a 32-bit x86 UEFI, a file in `tftp.root`. Unset: they get an address only.',
  },
  uefiArm64Loader: {
    name: 'tftp.uefi_arm64_loader',
    type: 'text',
    default: null,
    help: 'Network boot program for 64-bit ARM UEFI machines, a file in `tftp.root`; `boot.ramdisk_dir` must hold a kernel for them. Unset: they get an address only.',
  },

  dhcpMode: {
    name: 'dhcp.mode',
    type: 'choice',
    choices: ['reservation', 'proxy', 'off'],
    default: 'reservation',
    help: '`reservation`: addresses and boot files for known machines. `proxy`: boot files only, next to the DHCP server that is there. `off`: neither. Without `interface` it is off.',
  },
  dhcpRangeStart: {
    name: 'dhcp.range_start',
    type: 'ipv4',
    default: null,
    help: 'First address given out. Unset: the tenth of the network of `interface`, or what it has.',
  },
  dhcpRangeEnd: {
    name: 'dhcp.range_end',
    type: 'ipv4',
    default: null,
    help: 'Last address given out. Unset: the last but one of the network of `interface`.',
  },
  dhcpRouter: {
    name: 'dhcp.router',
    type: 'ipv4',
    default: null,
    help: 'Default router told to machines. Unset: none.',
  },
  dhcpDns: {
    name: 'dhcp.dns',
    type: 'list',
    default: [],
    help: 'DNS servers told to machines, IPv4 addresses.',
  },
  dhcpLeaseSeconds: {
    name: 'dhcp.lease_seconds',
    type: 'integer',
    default: 3600,
    min: 120,
    max: 7 * DAY,
    unit: 'seconds',
    help: 'How long an address is lent.',
  },

  heartbeatTimeoutSeconds: {
    name: 'agent.heartbeat_timeout_seconds',
    type: 'integer',
    default: 300,
    min: 10,
    max: 3600,
    unit: 'seconds',
    help: 'An agent that was silent for so long is lost. Agents are told to report at a random 0.3 to 0.6 of it.',
  },
  commandTimeoutSeconds: {
    name: 'agent.command_timeout_seconds',
    type: 'integer',
    default: 60,
    min: 5,
    max: 3600,
    unit: 'seconds',
    help: 'Limit of an agent command that neither writes an image nor erases disks.',
  },
  longCommandTimeoutSeconds: {
    name: 'agent.long_command_timeout_seconds',
    type: 'integer',
    default: 6 * 3600,
    min: 60,
    max: 30 * DAY,
    unit: 'seconds',
    help: 'Limit of writing an image or of one erase step.',
  },

  lockQueueSeconds: {
    name: 'engine.lock_queue_seconds',
    type: 'number',
    default: 10,
    min: 0,
    max: 300,
    unit: 'seconds',
    help: 'How long a request waits for a node that is busy before it gets 409.',
  },
  holdDeadlineSeconds: {
    name: 'engine.hold_deadline_seconds',
    type: 'integer',
    default: 3600,
    min: 60,
    max: DAY,
    unit: 'seconds',
    help: 'Longest time one piece of work may hold a node without letting go.',
  },
  automatedClean: {
    name: 'engine.automated_clean',
    type: 'flag',
    default: true,
    help: 'Clean nodes on `provide` and after `undeploy`. `automated_clean` of a node comes first.',
  },
  powerSyncIntervalSeconds: {
    name: 'power_sync.interval_seconds',
    type: 'integer',
    default: 120,
    min: 5,
    max: DAY,
    unit: 'seconds',
    help: 'How often the power state of every node is read from its BMC.',
  },
  powerSyncWorkers: {
    name: 'power_sync.workers',
    type: 'integer',
    default: 64,
    min: 1,
    max: 1024,
    help: 'BMCs asked at the same time.',
  },
  powerSyncMaxFailures: {
    name: 'power_sync.max_failures',
    type: 'integer',
    default: 3,
    min: 1,
    max: 100,
    help: 'Power syncs that may fail in a row before a node goes into maintenance.',
  },

  imageAllow: {
    name: 'images.file_allow',
    type: 'list',
    default: [],
    help: 'Directories that `file://` image sources may lie in. Empty: none may be used.',
  },
  imageCacheGib: {
    name: 'images.cache_gib',
    type: 'number',
    default: 20,
    min: 1,
    max: 100_000,
    unit: 'GiB',
    help: 'Size of the image cache; the least recently used go first.',
  },
  imageFetchTimeoutSeconds: {
    name: 'images.fetch_timeout',
    type: 'integer',
    default: 3600,
    min: 60,
    max: DAY,
    unit: 'seconds',
    help: 'Longest time one image may take to be fetched into the cache. A source that sends nothing for 60 seconds is given up before.',
  },
  imageAllowMd5: {
    name: 'images.allow_md5',
    type: 'flag',
    default: false,
    help: 'Accept md5 checksums of images. Files of one md5 can be forged: prefer sha256 or sha512.',
  },

  ...COMPUTE_SETTINGS,

  fakePowerDelay: fakeDelay('power'),
  fakeManagementDelay: fakeDelay('management'),
  fakeBootDelay: fakeDelay('boot'),
  fakeDeployDelay: fakeDelay('deploy'),
  fakeInspectDelay: fakeDelay('inspect'),
  fakeRescueDelay: fakeDelay('rescue'),
  fakeStorageDelay: fakeDelay('storage'),
  fakeBiosDelay: fakeDelay('bios'),
  fakeRaidDelay: fakeDelay('raid'),
  fakeFirmwareDelay: fakeDelay('firmware'),
  fakeVendorDelay: fakeDelay('vendor'),
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;

type Plain<S extends Setting> = S extends { type: 'integer' | 'number' }
  ? number
  : S extends { type: 'flag' }
    ? boolean
    : S extends { type: 'list'; choices: readonly (infer C)[] }
      ? readonly C[]
      : S extends { type: 'list' }
        ? readonly string[]
        : S extends { type: 'choice'; choices: readonly (infer C)[] }
          ? C
          : string;

/** Values by key; null where the table's default is null. */
export type Values = {
  readonly [K in SettingKey]:
    | Plain<(typeof SETTINGS)[K]>
    | ((typeof SETTINGS)[K]['default'] extends null ? null : never);
};

export const environmentName = (name: string): string => `INGOT_${name.replaceAll('.', '_').toUpperCase()}`;
