/**
 * RAKP authentication codes and session keys (IPMI 2.0 sections 13.28-13.32).
 *
 *   RAKP 2  HMAC K_uid (SID_console, SID_bmc, R_console, R_bmc, GUID_bmc, role, user name)
 *   RAKP 3  HMAC K_uid (R_bmc, SID_console, role, user name)
 *   SIK     HMAC K_g   (R_console, R_bmc, role, user name)
 *   RAKP 4  HMAC SIK   (R_console, SID_bmc, GUID_bmc), cut to the integrity algorithm's length
 *   K1, K2  HMAC SIK   (20 bytes of 0x01, 20 bytes of 0x02)
 *
 * K_uid is the user's password. K_g is the BMC key; if none is set, K_uid is used instead.
 * `user name` is its length in one byte, then the name.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CipherSuite } from './cipher-suite.ts';

/** The values that both ends know after RAKP 2. */
export interface Handshake {
  readonly suite: CipherSuite;
  readonly consoleSessionId: number;
  readonly bmcSessionId: number;
  /** 16 bytes each. */
  readonly consoleRandom: Buffer;
  readonly bmcRandom: Buffer;
  readonly bmcGuid: Buffer;
  /** Byte 25 of RAKP 1: requested privilege level and look-up bit. */
  readonly role: number;
  readonly username: Buffer;
}

export interface SessionKeys {
  readonly suite: CipherSuite;
  /** Session integrity key. */
  readonly sik: Buffer;
  /** Key of the packets' authentication codes. */
  readonly k1: Buffer;
  /** Its first 16 bytes are the AES key. */
  readonly k2: Buffer;
}

const CONSTANT_BYTES = 20;

export function rakp2AuthCode(h: Handshake, password: Buffer): Buffer {
  return hmac(h.suite, password, [
    u32(h.consoleSessionId),
    u32(h.bmcSessionId),
    h.consoleRandom,
    h.bmcRandom,
    h.bmcGuid,
    identity(h),
  ]);
}

export function rakp3AuthCode(h: Handshake, password: Buffer): Buffer {
  return hmac(h.suite, password, [h.bmcRandom, u32(h.consoleSessionId), identity(h)]);
}

/** `kg` undefined: no K_g is set on the BMC. */
export function sessionKeys(h: Handshake, password: Buffer, kg: Buffer | undefined): SessionKeys {
  const sik = hmac(h.suite, kg ?? password, [h.consoleRandom, h.bmcRandom, identity(h)]);
  const derive = (constant: number) => hmac(h.suite, sik, [Buffer.alloc(CONSTANT_BYTES, constant)]);
  return { suite: h.suite, sik, k1: derive(1), k2: derive(2) };
}

export function rakp4CheckValue(h: Handshake, keys: SessionKeys): Buffer {
  const full = hmac(h.suite, keys.sik, [h.consoleRandom, u32(h.bmcSessionId), h.bmcGuid]);
  return full.subarray(0, h.suite.authCodeBytes);
}

export function packetAuthCode(keys: SessionKeys, covered: Buffer): Buffer {
  return hmac(keys.suite, keys.k1, [covered]).subarray(0, keys.suite.authCodeBytes);
}

/** Compares in constant time. */
export function sameCode(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function hmac(suite: CipherSuite, key: Buffer, parts: readonly Buffer[]): Buffer {
  const digest = createHmac(suite.hash, key);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

const identity = (h: Handshake): Buffer =>
  Buffer.concat([Buffer.from([h.role, h.username.length]), h.username]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
