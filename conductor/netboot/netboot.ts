/**
 * The network boot services together: DHCP, TFTP, and the boot assets for the provisioning HTTP listener.
 */
import type { FastifyInstance } from 'fastify';
import type { BootDirectory, BootTrace, FixedAddresses, LeaseStore } from '../domain/boot.ts';
import { createAddressPool } from './address-pool.ts';
import { registerBootAssets, type SightNbp } from './boot-assets.ts';
import { createDhcpHandler } from './dhcp-handler.ts';
import { createDhcpServer } from './dhcp-server.ts';
import type { DhcpSettings } from './dhcp-settings.ts';
import { assetOf, createGrubFiles, isGrubConfig } from './grub-files.ts';
import { createQuietWarn } from './quiet-log.ts';
import { createTftpFiles } from './tftp-files.ts';
import { createTftpServer, type TransferReport } from './tftp-server.ts';

export interface NetbootSettings {
  readonly dhcp: DhcpSettings;
  readonly tftpPort: number;
  /** Holds the network boot programs. */
  readonly tftpRoot: string;
  readonly ramdiskDir: string;
}

export interface NetbootDeps {
  readonly directory: BootDirectory;
  readonly leases: LeaseStore;
  /** Addresses of servers, where the compute façade gives them any. */
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
  /** Opens the sockets; throws naming the service and port that could not be opened. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createNetboot(settings: NetbootSettings, deps: NetbootDeps): Netboot {
  const { dhcp } = settings;
  const { trace, now, logger } = deps;
  const warn = createQuietWarn((fields, text) => logger.warn(fields, text), now);
  // What cannot be sent is often somebody's doing, too: a spoofed source, say.
  const fail = createQuietWarn((fields, text) => logger.error(fields, text), now);
  const { fixedAddresses } = deps;
  const pool = createAddressPool({
    leases: deps.leases,
    ...(fixedAddresses && { isPromised: (address: string) => fixedAddresses.isPromised(address) }),
    rangeStart: dhcp.rangeStart,
    rangeEnd: dhcp.rangeEnd,
    leaseSeconds: dhcp.leaseSeconds,
    taken: [dhcp.address, ...(dhcp.router === null ? [] : [dhcp.router]), ...dhcp.dns],
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
    proxy: dhcp.mode === 'proxy',
    onError: (error) => fail({ err: error }, 'DHCP'),
    onBadPacket: (reason, from) => warn({ from, reason }, 'a DHCP packet was passed over'),
  });

  /** Who fetches a boot program is known by address only; the lease tells the machine. */
  const sightNbp: SightNbp = (kind, client, more) => {
    deps.leases
      .byAddress(client)
      .then((lease) => {
        if (lease !== undefined) trace.record({ kind, at: now(), mac: lease.mac, ...more });
      })
      .catch((error: unknown) => fail({ err: error }, 'whose boot program it is could not be looked up'));
  };
  /** A file by TFTP: GRUB's kernel and ramdisk say whose they are; its configurations were sighted when they were made. */
  const sightFile = (event: 'start' | 'done', client: string, file: string, bytes?: number): void => {
    const asset = assetOf(file);
    const more = bytes === undefined ? {} : { bytes };
    if (asset !== undefined) {
      const { nodeUuid, what, name } = asset;
      trace.record({ kind: `${what} ${event}`, at: now(), nodeUuid, detail: name, ...more });
    } else if (!isGrubConfig(file)) sightNbp(`nbp ${event}`, client, { detail: file, ...more });
  };
  const onEnd = (transfer: TransferReport): void => {
    logger.info(transfer, `TFTP transfer: ${transfer.outcome}`);
    if (transfer.outcome === 'done') sightFile('done', transfer.client, transfer.file, transfer.bytes);
  };
  const tftp = createTftpServer({
    address: dhcp.address,
    port: settings.tftpPort,
    files: createGrubFiles(createTftpFiles(settings.tftpRoot), {
      directory: deps.directory,
      trace,
      now,
      address: dhcp.address,
      ramdiskDir: settings.ramdiskDir,
    }),
    onStart: (client, file) => sightFile('start', client, file),
    onEnd,
    onRefused: (client, reason) => warn({ client, reason }, 'a TFTP request was refused'),
    onError: (error) => fail({ err: error }, 'TFTP'),
  });

  return {
    registerRoutes(app) {
      registerBootAssets(app, {
        directory: deps.directory,
        trace,
        now,
        httpBaseUrl: dhcp.httpBaseUrl,
        ramdiskDir: settings.ramdiskDir,
        nbpDir: settings.tftpRoot,
        sightNbp,
        warn,
      });
    },
    async start() {
      await tftp.start();
      try {
        if (dhcp.mode !== 'off') await dhcpServer.start();
      } catch (error) {
        await tftp.stop();
        throw error;
      }
      logger.info({ address: dhcp.address, mode: dhcp.mode }, 'network boot services are open');
    },
    async stop() {
      await Promise.all([tftp.stop(), dhcp.mode === 'off' ? undefined : dhcpServer.stop()]);
    },
  };
}
