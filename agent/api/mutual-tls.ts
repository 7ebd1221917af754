/**
 * TLS for the command API: the agent shows the certificate that its lookup has bound, and the client must have the key
 * with the conductor's pin. Dates and names are not checked on either side.
 */
import type { Server } from 'node:http';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { pinOfCertificate } from '@ingot/shared/tls/public-key-pin.ts';
import type { BootIdentity } from '../boot-trust.ts';

/** A client that does not finish its handshake in this time is cut off. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

export function tlsOptions({ identity }: Pick<BootIdentity, 'identity'>): TlsOptions {
  return {
    key: identity.key,
    cert: identity.certificate,
    minVersion: 'TLSv1.3',
    requestCert: true,
    // The pin is checked in place of an authority, by `onlyFor`.
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  };
}

/** Ends every connection whose client has another key, before it is read. */
export function onlyFor(pin: string, server: Server): void {
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined || pinOfCertificate(certificate) !== pin) socket.destroy();
  });
}
