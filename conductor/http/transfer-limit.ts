/**
 * Limits the files that a listener sends at the same time, in all and per address, and closes connections on which
 * nothing moves: a client that asks for a file and reads none of it costs memory and a file descriptor.
 *
 * Routes that send files have `transfer: true` in their `config`.
 */
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends a file, see conductor/http/transfer-limit.ts. */
    transfer?: true;
  }
}

const RETRY_SECONDS = 5;

export interface TransferLimits {
  /** Takes a place. The result gives it back; undefined: there is none. */
  take(address: string): (() => void) | undefined;
}

export function transferLimits({
  bootTransfers: total,
  bootTransfersPerAddress: perAddress,
}: {
  readonly bootTransfers: number;
  readonly bootTransfersPerAddress: number;
}): TransferLimits {
  const running = new Map<string, number>();
  let all = 0;
  return {
    take(address) {
      const own = running.get(address) ?? 0;
      if (all >= total || own >= perAddress) return undefined;
      all += 1;
      running.set(address, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= 1;
        const left = (running.get(address) ?? 1) - 1;
        if (left === 0) running.delete(address);
        else running.set(address, left);
      };
    },
  };
}

/** Call it before the routes are registered. Several listeners may share the limits. */
export function limitTransfers(app: FastifyInstance, limits: TransferLimits, stallMs: number): void {
  // Node's timeout counts a write as progress when the system has taken some of its bytes.
  app.server.timeout = stallMs;
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.transfer !== true || request.method === 'HEAD') return;
    const release = limits.take(request.ip);
    if (release === undefined) {
      request.log.debug({ from: request.ip }, 'a file is not sent: too many transfers');
      return reply
        .code(503)
        .header('retry-after', RETRY_SECONDS)
        .send({ error: 'too many transfers of this address or in all: try again' });
    }
    if (reply.raw.destroyed) release();
    else reply.raw.once('close', release);
  });
}
