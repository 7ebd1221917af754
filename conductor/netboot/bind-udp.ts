/** Binds a UDP socket. An error text names the service and gives advice. */
import type { Socket } from 'node:dgram';
import { IngotError } from '../domain/errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port: stop it, or leave the service to it (dhcp.mode proxy or off)',
  EACCES: 'ports below 1024 need root or CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'the interface no longer has this address',
};

/** Throws IngotError('unavailable') and closes the socket if binding fails. */
export async function bindUdp(
  socket: Socket,
  { service, address, port }: { service: string; address: string; port: number },
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, address, () => {
        socket.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    socket.close();
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const advice = ADVICE[code] ?? code;
    throw new IngotError('unavailable', `${service} cannot listen on ${address} port ${port}: ${advice}`, {
      cause: error,
    });
  }
}
