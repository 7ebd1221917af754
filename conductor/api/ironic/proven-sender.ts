/**
 * Reads the boot proof of a ramdisk's request: the header, and the SHA-256 of the body as it came. Every answer to a
 * request with a proof contains a nonce for the next one.
 */
import { createHash, type Hash } from 'node:crypto';
import { Transform } from 'node:stream';
import { decodeProof, NONCE_HEADER, PROOF_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { RamdiskIntake, RamdiskSender } from '../../domain/ramdisk-intake.ts';
import type { App } from '../kit/app.ts';

/** Registers the hooks on `app`. The result reads the sender of a request in its handler. */
export function provenSenders(app: App, ramdisk: RamdiskIntake): (request: FastifyRequest) => RamdiskSender {
  const hashes = new WeakMap<FastifyRequest, Hash>();

  app.addHook('preParsing', (request, _, payload, done) => {
    if (!hasProof(request)) return done(null, payload);
    const hash = createHash('sha256');
    hashes.set(request, hash);
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        hash.update(chunk);
        next(null, chunk);
      },
    });
    payload.once('error', (error) => hashing.destroy(error));
    done(null, payload.pipe(hashing));
  });

  app.addHook('onSend', (request, reply, _, done) => {
    if (hasProof(request)) reply.header(NONCE_HEADER, ramdisk.newNonce());
    done();
  });

  return (request) => {
    if (!hasProof(request)) return { source: request.ip };
    const proof = decodeProof(String(request.headers[PROOF_HEADER]));
    if (proof === undefined)
      throw new IngotError(
        'invalidParameter',
        `The header ${PROOF_HEADER} must be a nonce, a dot and a MAC.`,
      );
    const bodyDigest = (hashes.get(request) ?? createHash('sha256')).digest('hex');
    return { source: request.ip, proof: { ...proof, bodyDigest } };
  };
}

const hasProof = (request: FastifyRequest): boolean => request.headers[PROOF_HEADER] !== undefined;
