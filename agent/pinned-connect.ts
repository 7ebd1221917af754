/**
 * Connections to the conductor over TLS. The conductor is known by the pin of its public key alone: neither names nor
 * dates are checked, because the clock of this machine may be wrong by decades.
 */
import type { TLSSocket } from 'node:tls';
import { pinOfCertificate } from '@ingot/shared/tls/public-key-pin.ts';
import { buildConnector } from 'undici';
import type { BootIdentity } from './boot-trust.ts';

type Connector = buildConnector.connector;

/** For requests to the conductor only. */
export function pinnedConnector({ pin, identity }: BootIdentity, timeoutMs: number): Connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    key: identity.key,
    cert: identity.certificate,
    minVersion: 'TLSv1.3',
    rejectUnauthorized: false,
    // The certificate is part of each full handshake, and of no resumed one.
    maxCachedSessions: 0,
  });
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (pinOf(socket as TLSSocket) === pin) return callback(null, socket);
      socket.destroy();
      return callback(new Error(`${options.hostname} is not the conductor that booted this machine`), null);
    });
}

/** For images: pinned when the URL is the conductor's; other servers are known by the usual authorities. */
export function imageConnector(trust: BootIdentity | null, timeoutMs: number): Connector {
  const usual = buildConnector({ timeout: timeoutMs });
  if (trust === null) return usual;
  const pinned = pinnedConnector(trust, timeoutMs);
  const { protocol, hostname, port } = new URL(trust.apiUrl);
  return (options, callback) =>
    options.protocol === protocol &&
    options.hostname === hostname.replace(/^\[|\]$/g, '') &&
    options.port === port
      ? pinned(options, callback)
      : usual(options, callback);
}

const pinOf = (socket: TLSSocket): string | null => {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : pinOfCertificate(certificate);
};
