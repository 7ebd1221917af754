/**
 * The base of links in answers.
 */
import type { FastifyRequest } from 'fastify';

/** `http://host:port`, no trailing slash. */
export function baseUrlOf(request: FastifyRequest, publicEndpoint: string | null): string {
  return publicEndpoint ?? `${request.protocol}://${request.host}`;
}
