/**
 * A UDP socket connected to one BMC. Connected, so that the kernel drops other senders' datagrams and reports a closed
 * port. Knows nothing of IPMI.
 */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Budget } from './budget.ts';

export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** `closed`: the host says that nothing listens on the port. */
  | { readonly kind: 'silence'; readonly closed: boolean };

interface Waiting {
  readonly onDatagram: (datagram: Buffer) => void;
  readonly onRefused: () => void;
}

export class UdpPeer {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (datagram) => this.#waiting?.onDatagram(datagram));
    // On a connected UDP socket errors are ICMP answers to an earlier send: news, not the end of the socket.
    socket.on('error', () => this.#waiting?.onRefused());
  }

  /** Throws the system's error if the name or the route is not known. */
  static async connect(
    to: { host: string; port: number; localAddress?: string | undefined },
    budget: Budget,
  ): Promise<UdpPeer> {
    const family = isIP(to.host);
    const target = family === 0 ? await orAbort(lookup(to.host), budget) : { address: to.host, family };
    const socket = createSocket(target.family === 6 ? 'udp6' : 'udp4');
    try {
      if (to.localAddress !== undefined) {
        const bound = once(socket, 'listening');
        socket.bind({ address: to.localAddress, port: 0 });
        await bound;
      }
      const connected = once(socket, 'connect');
      socket.connect(to.port, target.address);
      await connected;
    } catch (error) {
      socket.close();
      throw error;
    }
    return new UdpPeer(socket);
  }

  /** Best effort, no answer wanted. */
  send(datagram: Buffer): void {
    if (!this.#closed) this.#socket.send(datagram, () => undefined);
  }

  /**
   * Sends, then waits for the first datagram that `accept` turns into something. One exchange at a time.
   * Throws IngotError('aborted') if called off.
   */
  async exchange<T>(
    datagram: Buffer,
    accept: (datagram: Buffer) => T | undefined,
    timeoutMs: number,
    budget: Budget,
  ): Promise<Outcome<T>> {
    budget.check();
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>();
    let closed = false;
    const timer = setTimeout(() => resolve({ kind: 'silence', closed }), timeoutMs);
    const forget = budget.onAbort(() => reject(budget.aborted()));
    this.#waiting = {
      onDatagram: (received) => {
        const value = accept(received);
        if (value !== undefined) resolve({ kind: 'answer', value });
      },
      onRefused: () => {
        closed = true;
      },
    };
    budget.tries += 1;
    this.#socket.send(datagram, (error) => {
      if (error) closed = true;
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      forget();
      this.#waiting = undefined;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }
}

/** A look-up cannot be cancelled; we only stop waiting for it. */
async function orAbort<T>(work: Promise<T>, budget: Budget): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the name server did not answer')), budget.remainingMs);
  const forget = budget.onAbort(() => reject(budget.aborted()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    forget();
  }
}
