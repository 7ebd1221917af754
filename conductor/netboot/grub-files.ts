/**
 * The files for GRUB that are not in the TFTP root: generated configurations, and the ramdisk.
 */
import { type BootDirectory, type BootTrace, type Mac, parseMac } from '../domain/boot.ts';
import { grubConfig, grubEntry } from './grub-config.ts';
import { createTftpFiles, type TftpFiles } from './tftp-files.ts';

export interface GrubFilesDeps {
  readonly directory: BootDirectory;
  readonly trace: BootTrace;
  /** The address that our DHCP has leased to a machine, as in ScriptClient. */
  readonly leasedTo: (mac: Mac) => Promise<string | null | undefined>;
  readonly now: () => Date;
  /** Our own IPv4 address. */
  readonly address: string;
  /** Contains vmlinuz and ramdisk.img. */
  readonly ramdiskDir: string;
}

export interface NetbootFile {
  readonly nodeUuid: string;
  readonly what: 'kernel' | 'ramdisk';
  readonly name: string;
}

const WHAT = { vmlinuz: 'kernel', 'ramdisk.img': 'ramdisk' } as const;
const MACHINE = /^\/*grub\/machine\/([0-9a-fA-F:-]{17})\.cfg$/;
/** Some GRUBs first ask for a file with their MAC or network address in its name. */
const ENTRY = /^\/*grub\/(x86_64-efi\/)?grub\.cfg(-[0-9a-fA-F-]+)?$/;
const ASSET = /^\/*boot\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(vmlinuz|ramdisk\.img)$/;
const MAX_RAMDISK_BYTES = 512 * 1024 * 1024;

/** Kernel or ramdisk for the node in the file name; undefined for other files. */
export function assetOf(file: string): NetbootFile | undefined {
  const [, nodeUuid, name] = ASSET.exec(file) ?? [];
  if (nodeUuid === undefined || name === undefined) return undefined;
  return { nodeUuid, name, what: WHAT[name as keyof typeof WHAT] };
}

export const isGrubConfig = (file: string): boolean => MACHINE.test(file) || ENTRY.test(file);

/** Adds these files to `files`. A grub.cfg in the TFTP root takes precedence over the generated one. */
export function createGrubFiles(files: TftpFiles, deps: GrubFilesDeps): TftpFiles {
  const ramdisk = createTftpFiles(deps.ramdiskDir, { maxBytes: MAX_RAMDISK_BYTES });

  async function machineConfig(name: string, address: string): Promise<Buffer | undefined> {
    const mac = parseMac(MACHINE.exec(name)?.[1] ?? '');
    if (mac === undefined) return undefined;
    const leased = await deps.leasedTo(mac);
    const decision = await deps.directory.decideScript({ mac, address, leased });
    const config = Buffer.from(grubConfig(decision, { address: deps.address, mac }), 'latin1');
    const kind = decision.kind === 'disk' ? 'disk boot' : 'script';
    // Unknown machines are not recorded, because anybody could fill the store with them.
    if (decision.kind !== 'unknown' && decision.kind !== 'refused')
      deps.trace.record({ kind, at: deps.now(), mac, bytes: config.length, detail: decision.kind });
    return config;
  }

  return {
    async read(name, client) {
      const asset = assetOf(name);
      if (asset !== undefined) return ramdisk.read(asset.name, client);
      if (MACHINE.test(name)) return machineConfig(name, client);
      const own = await files.read(name, client);
      if (own !== undefined || !ENTRY.test(name)) return own;
      return Buffer.from(grubEntry({ address: deps.address }), 'latin1');
    },
  };
}
