/**
 * A UDP socket connected to one BMC. On a connected socket the kernel drops datagrams of other senders and reports a
 * closed port. This file does not depend on IPMI.
 */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Deadline } from './deadline.ts';

export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** `closed`: the host reported that the port is closed (ICMP port unreachable). */
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
    // Errors on a connected UDP socket are ICMP answers to an earlier datagram. The socket stays usable.
    socket.on('error', () => this.#waiting?.onRefused());
  }

  /** Throws the system's error if the name cannot be resolved or there is no route. */
  static async connect(
    to: { host: string; port: number; localAddress?: string | undefined },
    deadline: Deadline,
  ): Promise<UdpPeer> {
    const family = isIP(to.host);
    const target = family === 0 ? await orAbort(lookup(to.host), deadline) : { address: to.host, family };
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

  /** Sends without waiting for an answer. */
  send(datagram: Buffer): void {
    if (!this.#closed) this.#socket.send(datagram, () => undefined);
  }

  /**
   * Sends a datagram and waits for the first one that `accept` decodes. One exchange at a time.
   * Throws IngotError('aborted') if a signal of the deadline fires.
   */
  async exchange<T>(
    datagram: Buffer,
    accept: (datagram: Buffer) => T | undefined,
    timeoutMs: number,
    deadline: Deadline,
  ): Promise<Outcome<T>> {
    deadline.check();
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>();
    let closed = false;
    const timer = setTimeout(() => resolve({ kind: 'silence', closed }), timeoutMs);
    const forget = deadline.onAbort(() => reject(deadline.aborted()));
    this.#waiting = {
      onDatagram: (received) => {
        const value = accept(received);
        if (value !== undefined) resolve({ kind: 'answer', value });
      },
      onRefused: () => {
        closed = true;
      },
    };
    deadline.tries += 1;
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

/** A name look-up cannot be cancelled, so this only stops waiting for it. */
async function orAbort<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the name server did not answer')), deadline.remainingMs);
  const forget = deadline.onAbort(() => reject(deadline.aborted()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    forget();
  }
}
