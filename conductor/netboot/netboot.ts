/**
 * The network boot services: DHCP, TFTP, and the boot assets of the provisioning HTTP listener.
 */
import type { FastifyInstance } from 'fastify';
import type { BootDirectory, BootTrace, FixedAddresses, LeaseStore, Mac } from '../domain/boot.ts';
import { holds, networkOf, type Prefix, parseAddress } from '../domain/ip-address.ts';
import { createAddressPool } from './address-pool.ts';
import { type RecordNbp, registerBootAssets } from './boot-assets.ts';
import { createDhcpHandler } from './dhcp-handler.ts';
import { createDhcpServer, type DhcpPorts } from './dhcp-server.ts';
import type { DhcpSettings } from './dhcp-settings.ts';
import { assetOf, createGrubFiles, isGrubConfig } from './grub-files.ts';
import { throttleWarnings } from './log-throttle.ts';
import { createTftpFiles } from './tftp-files.ts';
import { createTftpServer } from './tftp-server.ts';
import type { TransferReport } from './tftp-transfer.ts';

export interface NetbootSettings {
  readonly dhcp: DhcpSettings;
  /** Other ports, for tests without root. */
  readonly dhcpPorts?: DhcpPorts;
  readonly tftpPort: number;
  readonly tftp: {
    /** Further networks than that of DHCP. */
    readonly networks: readonly Prefix[];
    readonly perAddress: number;
    readonly plainRequests: boolean;
  };
  /** Contains the network boot programs. */
  readonly tftpRoot: string;
  readonly ramdiskDir: string;
}

export interface NetbootDeps {
  readonly directory: BootDirectory;
  readonly leases: LeaseStore;
  /** The fixed addresses of servers, if the OpenStack APIs are enabled. */
  readonly fixedAddresses?: FixedAddresses;
  readonly trace: BootTrace;
  readonly now: () => Date;
  readonly logger: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
    error(fields: object, text: string): void;
  };
}

export interface Netboot {
  registerRoutes(app: FastifyInstance): void;
  /** Opens the sockets. Throws an error that names the service and the port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createNetboot(settings: NetbootSettings, deps: NetbootDeps): Netboot {
  const { dhcp } = settings;
  const { trace, now, logger } = deps;
  const warn = throttleWarnings((fields, text) => logger.warn(fields, text), now);
  // Send errors are throttled too, since a spoofed source address can cause them.
  const fail = throttleWarnings((fields, text) => logger.error(fields, text), now);
  const inform = throttleWarnings((fields, text) => logger.info(fields, text), now);
  const { fixedAddresses } = deps;
  const pool = createAddressPool({
    leases: deps.leases,
    ...(fixedAddresses && { isReserved: (address: string) => fixedAddresses.isReserved(address) }),
    rangeStart: dhcp.dhcpRangeStart,
    rangeEnd: dhcp.dhcpRangeEnd,
    leaseMs: dhcp.dhcpLeaseMs,
    taken: [dhcp.address, ...(dhcp.dhcpRouter === null ? [] : [dhcp.dhcpRouter]), ...dhcp.dhcpDns],
    now,
  });
  const handle = createDhcpHandler({
    settings: dhcp,
    directory: deps.directory,
    pool,
    ...(fixedAddresses && { fixedAddresses }),
    trace,
    now,
    warn,
  });
  const dhcpServer = createDhcpServer({
    address: dhcp.address,
    handle,
    proxy: dhcp.dhcpMode === 'proxy',
    ...(settings.dhcpPorts && { ports: settings.dhcpPorts }),
    onError: (error) => fail({ err: error }, 'DHCP'),
    onBadPacket: (reason, from) => warn({ from, reason }, 'a DHCP packet was ignored'),
  });

  /** Only with our own leases do we know which address a machine has. */
  const leasedTo = async (mac: Mac): Promise<string | null | undefined> => {
    if (dhcp.dhcpMode !== 'reservation') return undefined;
    const lease = await deps.leases.byMac(mac);
    return lease !== undefined && lease.expiresAt > now() ? lease.address : null;
  };

  /** The client of a boot program is known only by its address; its lease contains the MAC. */
  const recordNbp: RecordNbp = (kind, client, more) => {
    deps.leases
      .byAddress(client)
      .then((lease) => {
        if (lease !== undefined) trace.record({ kind, at: now(), mac: lease.mac, ...more });
      })
      .catch((error: unknown) =>
        fail({ err: error }, 'the lease of a boot program client could not be read'),
      );
  };
  /**
   * Records a TFTP transfer. The names of GRUB's kernel and ramdisk contain the node. GRUB's configurations are recorded
   * when they are generated.
   */
  const recordFile = (event: 'start' | 'done', client: string, file: string, bytes?: number): void => {
    const asset = assetOf(file);
    const more = bytes === undefined ? {} : { bytes };
    if (asset !== undefined) {
      const { nodeUuid, what, name } = asset;
      trace.record({ kind: `${what} ${event}`, at: now(), nodeUuid, detail: name, ...more });
    } else if (!isGrubConfig(file)) recordNbp(`nbp ${event}`, client, { detail: file, ...more });
  };
  const onEnd = (transfer: TransferReport): void => {
    // Anybody can cause these, with any source.
    const tell = transfer.bytes === 0 ? inform : logger.info.bind(logger);
    tell(transfer, `TFTP transfer: ${transfer.outcome}`);
    if (transfer.outcome === 'done') recordFile('done', transfer.client, transfer.file, transfer.bytes);
  };
  const networks = [networkOf(dhcp), ...settings.tftp.networks];
  const serves = (client: string): boolean => {
    const address = parseAddress(client);
    return address !== undefined && networks.some((network) => holds(network, address));
  };
  const tftp = createTftpServer({
    address: dhcp.address,
    port: settings.tftpPort,
    limits: { ...settings.tftp, serves },
    files: createGrubFiles(createTftpFiles(settings.tftpRoot), {
      directory: deps.directory,
      trace,
      leasedTo,
      now,
      address: dhcp.address,
      ramdiskDir: settings.ramdiskDir,
    }),
    onStart: (client, file) => recordFile('start', client, file),
    onEnd,
    onRefused: (client, reason) => warn({ client, reason }, 'a TFTP request was refused'),
    onError: (error) => fail({ err: error }, 'TFTP'),
  });

  return {
    registerRoutes(app) {
      registerBootAssets(app, {
        directory: deps.directory,
        trace,
        leasedTo,
        now,
        httpBaseUrl: dhcp.httpBaseUrl,
        ramdiskDir: settings.ramdiskDir,
        nbpDir: settings.tftpRoot,
        recordNbp,
        warn,
      });
    },
    async start() {
      await tftp.start();
      try {
        if (dhcp.dhcpMode !== 'off') await dhcpServer.start();
      } catch (error) {
        await tftp.stop();
        throw error;
      }
      logger.info({ address: dhcp.address, mode: dhcp.dhcpMode }, 'network boot services are open');
    },
    async stop() {
      await Promise.all([tftp.stop(), dhcp.dhcpMode === 'off' ? undefined : dhcpServer.stop()]);
    },
  };
}
