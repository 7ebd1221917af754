/**
 * Limits how many bodies with inspection data are read at once. They may be large and come without authentication;
 * agents try again when they get 503.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';

export interface InspectionLimits {
  readonly perAddress: number;
  readonly inAll: number;
}

const LIMITS: InspectionLimits = { perAddress: 2, inAll: 16 };

/** A hook that throws 503 when too many are being read, and counts this one until it is answered or gone. */
export function createInspectionLimit({ perAddress, inAll }: InspectionLimits = LIMITS) {
  const reading = new Map<string, number>();
  let total = 0;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { ip } = request;
    const before = reading.get(ip) ?? 0;
    if (before >= perAddress || total >= inAll) {
      throw new IngotError(
        'unavailable',
        'Too much inspection data arrives at once. Try again in a few seconds.',
      );
    }
    reading.set(ip, before + 1);
    total += 1;
    reply.raw.once('close', () => {
      const left = (reading.get(ip) ?? 1) - 1;
      if (left === 0) reading.delete(ip);
      else reading.set(ip, left);
      total -= 1;
    });
  };
}
