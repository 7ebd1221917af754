/**
 * The interfaces between the network-boot services and the other rooms.
 *
 * DHCP, TFTP and HTTP ask a BootDirectory what a machine should boot now, keep addresses in a LeaseStore, and report
 * every sighting of a machine to a BootTrace. Netboot never reads a node.
 */

/** A MAC address in lower case with colons, `52:54:00:ab:cd:ef`. Only parseMac makes one. */
export type Mac = string & { readonly __brand: 'Mac' };

export function parseMac(text: string): Mac | undefined {
  const lower = text.trim().toLowerCase().replaceAll('-', ':');
  return /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(lower) ? (lower as Mac) : undefined;
}

/**
 * One word of a kernel command line: printable ASCII, no white space, quotes, or script metacharacters; not `;` or
 * `&&` alone, where iPXE begins a new command. Only parseKernelParam makes one.
 */
export type KernelParam = string & { readonly __brand: 'KernelParam' };

export function parseKernelParam(text: string): KernelParam | undefined {
  return /^(?![;&]+$)[A-Za-z0-9_.,:;=/@%+~[\]?&-]+$/.test(text) && text.length <= 1024
    ? (text as KernelParam)
    : undefined;
}

/** How a machine identifies itself on the network. */
export interface BootClient {
  readonly mac: Mac;
  /** SMBIOS UUID (option 97), lower case, if it was sent. */
  readonly uuid?: string;
}

export type BootDecision =
  /** Boot the deploy ramdisk with these words on its command line. */
  | { readonly kind: 'ramdisk'; readonly nodeUuid: string; readonly kernelParams: readonly KernelParam[] }
  /** This machine has its own operating system: send it to its disk. */
  | { readonly kind: 'disk'; readonly nodeUuid: string }
  /** A known machine that has nothing to boot now: it gets an address but no boot file. */
  | { readonly kind: 'nothing'; readonly nodeUuid: string }
  /** A machine that we do not know. */
  | { readonly kind: 'unknown' };

/** Somebody asks for the boot script of a machine. */
export interface ScriptClient {
  readonly mac: Mac;
  /** The source address of the request. */
  readonly address: string;
  /** The address of the machine's lease; null when it has none; undefined when other DHCP servers lease addresses. */
  readonly leased: string | null | undefined;
}

/** `refused`: a script with a boot secret is given only to the machine itself, and not after its agent has called. */
export type ScriptDecision = BootDecision | { readonly kind: 'refused' };

export interface BootDirectory {
  /** What the machine boots, for DHCP. Without the boot secret. */
  decide(client: BootClient): Promise<BootDecision>;
  /** What the boot script contains, with the boot secret. */
  decideScript(client: ScriptClient): Promise<ScriptDecision>;
}

export interface Lease {
  readonly mac: Mac;
  /** Dotted IPv4. */
  readonly address: string;
  readonly expiresAt: Date;
}

/**
 * The address of a server on the network that our DHCP server serves, and what the server is told about that network.
 */
export interface FixedAddress {
  /** Dotted IPv4. */
  readonly address: string;
  readonly router: string | null;
  readonly dns: readonly string[];
  readonly nodeUuid: string;
}

/** The fixed addresses of servers. They are reserved before the machine asks for its address. */
export interface FixedAddresses {
  of(mac: Mac): Promise<FixedAddress | undefined>;
  /** Whether the address belongs to a server or a port, so that no other machine may get it. */
  isReserved(address: string): Promise<boolean>;
}

/** An address that a machine found in use by another (DHCPDECLINE, RFC 2131 section 4.3.3). */
export interface DeclinedAddress {
  /** Dotted IPv4. */
  readonly address: string;
  /** The address is not given out before this time. */
  readonly until: Date;
}

/** Address leases, one for each MAC and each address, and declined addresses. They survive a restart. */
export interface LeaseStore {
  byMac(mac: Mac): Promise<Lease | undefined>;
  byAddress(address: string): Promise<Lease | undefined>;
  /** Inserts or renews. Returns false, changing nothing, when the address is held by another MAC whose lease has not expired at `now`. */
  put(lease: Lease, now: Date): Promise<boolean>;
  release(mac: Mac): Promise<void>;
  list(): Promise<readonly Lease[]>;
  /** Stores the declined address and removes its lease. If it is declined already, the later time counts. */
  decline(declined: DeclinedAddress, now: Date): Promise<void>;
  /** The addresses that are still declined at `now`, in order. */
  declined(now: Date): Promise<readonly DeclinedAddress[]>;
}

/**
 * The steps from power-on to a working agent, in the order they happen.
 * Optional ones are not seen on every boot chain (iPXE in ROM fetches no NBP).
 */
export const BOOT_SIGHTINGS = [
  'power on',
  'dhcp discover',
  'dhcp offer',
  'dhcp request',
  'dhcp ack',
  'nbp start',
  'nbp done',
  'script',
  'kernel start',
  'kernel done',
  'ramdisk start',
  'ramdisk done',
  'lookup',
  'heartbeat',
  'disk boot',
] as const;

export type BootSightingKind = (typeof BOOT_SIGHTINGS)[number];

export interface BootSighting {
  readonly kind: BootSightingKind;
  readonly at: Date;
  readonly mac?: Mac;
  readonly nodeUuid?: string;
  readonly bytes?: number;
  /** Short free text: file name, address given, client's reason. Never a secret. */
  readonly detail?: string;
}

/** Takes sightings; must not throw and must return at once (it may write later). */
export interface BootTrace {
  record(sighting: BootSighting): void;
}
