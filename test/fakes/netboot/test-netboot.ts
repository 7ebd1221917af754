/** Netboot at the server's end of a virtual cable, with files to serve and decisions for machines. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BootSighting } from '@ingot/conductor/domain/boot.ts';
import type { DhcpSettings } from '@ingot/conductor/netboot/dhcp-settings.ts';
import { type Cable, end, SERVER_ADDRESS } from './namespaces.ts';
import type { ServeOptions } from './serve.ts';

export const DHCP: DhcpSettings = {
  dhcpMode: 'reservation',
  address: SERVER_ADDRESS,
  netmask: '255.255.255.0',
  dhcpRangeStart: '10.77.0.100',
  dhcpRangeEnd: '10.77.0.120',
  dhcpRouter: '10.77.0.254',
  dhcpDns: ['10.77.0.53'],
  dhcpLeaseMs: 600_000,
  loaders: { bios: 'undionly.kpxe', 'uefi-x64': 'snponly.efi' },
  httpBaseUrl: `http://${SERVER_ADDRESS}:8089`,
};

export interface RunningNetboot {
  readonly sightings: BootSighting[];
  readonly process: ChildProcess;
  /** Waits for a sighting of this kind. */
  sighted(kind: BootSighting['kind']): Promise<BootSighting>;
  /** Waits for a further sighting of this kind. */
  sightedAgain(kind: BootSighting['kind'], after: BootSighting): Promise<BootSighting>;
  log(): string;
  stop(): Promise<void>;
}

export async function startNetboot(cable: Cable, options: ServeOptions): Promise<RunningNetboot> {
  const program = fileURLToPath(new URL('serve.ts', import.meta.url));
  const child = cable.start('server', [process.execPath, program, JSON.stringify(options)]);
  const sightings: BootSighting[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  let ready = false;
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const told = JSON.parse(line) as { ready?: true; sighting?: BootSighting };
    if (told.sighting !== undefined) sightings.push(told.sighting);
    ready ||= told.ready === true;
    for (const wake of waiting) wake();
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`netboot ended: ${errors}`);
  });
  exited.catch(() => undefined);

  async function until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await Promise.race([
        exited,
        new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        }),
      ]);
    }
  }

  await until(() => (ready ? true : undefined));
  return {
    sightings,
    process: child,
    sighted: (kind) => until(() => sightings.find((sighting) => sighting.kind === kind)),
    sightedAgain: (kind, after) =>
      until(() => sightings.slice(sightings.indexOf(after) + 1).find((sighting) => sighting.kind === kind)),
    log: () => errors,
    stop: () => end(child),
  };
}
