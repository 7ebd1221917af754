import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { isCertificate, PIN, pinOfCertificate, pinOfKey } from './public-key-pin.ts';
import { newPrivateKey, selfSigned } from './self-signed.ts';

describe('a self-signed certificate', () => {
  const key = newPrivateKey();
  const identity = selfSigned('ingot-agent', key);
  const certificate = new X509Certificate(identity.certificate);

  it('names its owner and verifies with its own key', () => {
    expect(certificate.subject).toBe('CN=ingot-agent');
    expect(certificate.issuer).toBe('CN=ingot-agent');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey).toBeDefined();
  });

  it('is valid at any time', () => {
    expect(certificate.validFrom).toBe('Jan  1 00:00:00 1970 GMT');
    expect(certificate.validTo).toBe('Dec 31 23:59:59 9999 GMT');
  });

  it('has another serial number each time', () => {
    const other = new X509Certificate(selfSigned('ingot-agent', key).certificate);
    expect(other.serialNumber).not.toBe(certificate.serialNumber);
    expect(BigInt(`0x${certificate.serialNumber}`)).toBeGreaterThan(0n);
  });

  it('has the pin of its key', () => {
    expect(pinOfCertificate(certificate)).toBe(pinOfKey(key));
    expect(pinOfKey(key)).toMatch(PIN);
    expect(pinOfKey(newPrivateKey())).not.toBe(pinOfKey(key));
  });

  it('serves TLS to a client that trusts exactly this certificate', async () => {
    const server = createServer(
      { key: identity.key, cert: identity.certificate, minVersion: 'TLSv1.3' },
      (socket) => socket.end('hello'),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({
      host: '127.0.0.1',
      port,
      ca: identity.certificate,
      checkServerIdentity: () => undefined,
    });
    const [data] = (await once(client, 'data')) as [Buffer];
    expect(String(data)).toBe('hello');
    expect((client as TLSSocket).authorized).toBe(true);
    client.destroy();
    server.close();
  });

  it('is told from other texts', () => {
    expect(isCertificate(identity.certificate)).toBe(true);
    expect(isCertificate('PEM')).toBe(false);
    expect(isCertificate(identity.key)).toBe(false);
  });
});
