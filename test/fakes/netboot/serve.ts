/**
 * Netboot as a program that runs inside a namespace: the real services on a real store, with a table as the directory.
 * Argument: ServeOptions as JSON. Output: a line of JSON for `ready` and for every sighting.
 */
import { join } from 'node:path';
import type { BootDecision } from '@ingot/conductor/domain/boot.ts';
import type { DhcpSettings } from '@ingot/conductor/netboot/dhcp-settings.ts';
import { createNetboot } from '@ingot/conductor/netboot/netboot.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import fastify from 'fastify';
import { createBootFakes } from './boot-fakes.ts';

export interface ServeOptions {
  readonly dhcp: DhcpSettings;
  readonly dataDir: string;
  readonly tftpRoot: string;
  readonly ramdiskDir: string;
  /** TFTP serves requests without options. */
  readonly plainRequests?: boolean;
  readonly decisions: Readonly<Record<string, BootDecision>>;
}

const options = JSON.parse(process.argv[2] ?? '') as ServeOptions;
const tell = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const log = (fields: object, text: string): boolean =>
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);

const store = await openStore({ path: join(options.dataDir, 'leases.db') });
const app = fastify();
const netboot = createNetboot(
  {
    dhcp: options.dhcp,
    tftpPort: 69,
    tftp: { networks: [], perAddress: 8, plainRequests: options.plainRequests ?? false },
    tftpRoot: options.tftpRoot,
    ramdiskDir: options.ramdiskDir,
  },
  {
    directory: createBootFakes(options.decisions).directory,
    leases: store.leases,
    trace: { record: (sighting) => tell({ sighting }) },
    now: () => new Date(),
    logger: { info: log, warn: log, error: log },
  },
);
netboot.registerRoutes(app);
await app.listen({ host: options.dhcp.address, port: 8089 });
await netboot.start();
tell({ ready: true });

process.once('SIGTERM', () => {
  const stop = async (): Promise<void> => {
    await netboot.stop();
    await app.close();
    await store.close();
  };
  stop().catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
});
