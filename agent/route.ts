/** Finds this machine's address towards the conductor: the source address that the kernel chooses for the route. */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';

/** Sends nothing: connecting a datagram socket only chooses a route. Throws if there is none. */
export async function sourceAddressTo(url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  const { address, family } = await lookup(hostname.replace(/^\[|\]$/g, ''));
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(Number(port) || (protocol === 'https:' ? 443 : 80), address, resolve);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
