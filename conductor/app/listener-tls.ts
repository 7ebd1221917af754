/**
 * TLS of the operators' API and the façade: reads the files at the start, and again on request. Files that can not be
 * used then change nothing.
 */
import type { Server } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import type { ServerTls } from '../api/kit/app.ts';
import type { Config } from '../config/config.ts';
import { readTlsFiles, type TlsPaths, tlsPathsOf } from '../config/tls-files.ts';
import { hostPortText, isLoopback } from '../domain/host-port.ts';

export interface ListenerTls {
  readonly options: ServerTls;
  /** The server that gets the new files. */
  serves(server: unknown): void;
}

export interface ListenersTls {
  /** null: plain HTTP. */
  readonly api: ListenerTls | null;
  readonly compute: ListenerTls | null;
  reload(): void;
}

const MIN_VERSION = 'TLSv1.2';
/** A client that connects and says nothing is dropped after this time. */
const HANDSHAKE_MS = 15_000;
const EXPIRY_WARNING_MS = 14 * 86_400_000;

export function openListenersTls(config: Config, logger: FastifyBaseLogger, now: () => Date): ListenersTls {
  const paths = tlsPathsOf(config);
  const listeners: { readonly paths: TlsPaths; server?: Server }[] = [];

  function read(from: TlsPaths): { readonly cert: string; readonly key: string } {
    const { cert, key, expires } = readTlsFiles(from);
    if (expires.getTime() - now().getTime() < EXPIRY_WARNING_MS)
      logger.warn({ file: from.cert, expires }, 'the TLS certificate expires soon or has expired');
    return { cert, key };
  }

  function open(from: TlsPaths | null): ListenerTls | null {
    if (from === null) return null;
    const listener: (typeof listeners)[number] = { paths: from };
    listeners.push(listener);
    return {
      options: { ...read(from), minVersion: MIN_VERSION, handshakeTimeout: HANDSHAKE_MS },
      serves(server) {
        listener.server = server as Server;
      },
    };
  }

  return {
    api: open(paths.api),
    compute: config.computeListen === null ? null : open(paths.compute),
    reload() {
      for (const { paths: from, server } of listeners) {
        try {
          server?.setSecureContext({ ...read(from), minVersion: MIN_VERSION });
          logger.info({ cert: from.cert, key: from.key }, 'the TLS files are read again');
        } catch (error) {
          logger.error(
            { err: error },
            'the TLS files can not be used; the certificate and key read before stay',
          );
        }
      }
    },
  };
}

/** Passwords and tokens are sent with every request. */
export function warnOfPlainListeners(config: Config, logger: Pick<FastifyBaseLogger, 'warn'>): void {
  if (config.auth === 'none') return;
  const paths = tlsPathsOf(config);
  const listeners = [
    ['api', config.listen, paths.api],
    ['compute', config.computeListen, paths.compute],
  ] as const;
  for (const [name, listen, tls] of listeners) {
    if (listen === null || tls !== null || isLoopback(listen.host)) continue;
    logger.warn(
      { listen: hostPortText(listen) },
      `passwords and tokens cross the network in clear text: set ${name}.tls.cert and ${name}.tls.key, or listen on 127.0.0.1 behind a proxy with TLS`,
    );
  }
}
