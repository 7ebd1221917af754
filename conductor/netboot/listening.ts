/** Binds a UDP socket, or says in words which service could not be opened and what to look at. */
import type { Socket } from 'node:dgram';
import { IngotError } from '../domain/errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: stop it, or let it have the service (dhcp.mode proxy or off)',
  EACCES: 'ports below 1024 need root or CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'the interface does not have this address any more',
};

/** Throws IngotError('unavailable'); the socket is closed then. */
export async function listening(
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
