/**
 * Nonces for boot proofs. A nonce needs no memory until it is used: it contains its own number, signed with a key of
 * this process. A node's nonces must be used in the order they were made, so one number a node is enough to refuse a
 * nonce that was used before. After a restart all older nonces are unknown, and agents get a new one.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 16;
const NUMBER_BYTES = 6;
const NONCE_CHARACTERS = ((NUMBER_BYTES + MAC_BYTES) * 4) / 3;
/** An agent uses a nonce at its next heartbeat. */
const VALID_MS = 30 * 60_000;

export interface BootNonces {
  make(): string;
  /** The number of a nonce that this process made, unless it is too old; undefined for others. */
  numberOf(nonce: string): number | undefined;
  /** False if the node has used this nonce or a later one. Call it only after the proof was found right. */
  use(nodeUuid: string, number: number): boolean;
}

/** `clock`: milliseconds of a clock that never jumps. */
export function createBootNonces(clock: () => number = () => performance.now()): BootNonces {
  const key = randomBytes(32);
  /** Tenths of milliseconds since the process began, made unique. */
  let last = 0;
  const used = new Map<string, number>();

  const sign = (number: Buffer): Buffer =>
    createHmac('sha256', key).update(number).digest().subarray(0, MAC_BYTES);

  return {
    make() {
      last = Math.max(last + 1, Math.floor(clock() * 10));
      const number = Buffer.alloc(NUMBER_BYTES);
      number.writeUIntBE(last, 0, NUMBER_BYTES);
      return Buffer.concat([number, sign(number)]).toString('base64url');
    },
    numberOf(nonce) {
      const bytes = Buffer.from(nonce, 'base64url');
      if (nonce.length !== Math.ceil(NONCE_CHARACTERS) || bytes.length !== NUMBER_BYTES + MAC_BYTES)
        return undefined;
      const number = bytes.subarray(0, NUMBER_BYTES);
      if (!timingSafeEqual(bytes.subarray(NUMBER_BYTES), sign(number))) return undefined;
      const made = number.readUIntBE(0, NUMBER_BYTES);
      return made < (clock() - VALID_MS) * 10 ? undefined : made;
    },
    use(nodeUuid, number) {
      if (number <= (used.get(nodeUuid) ?? 0)) return false;
      used.set(nodeUuid, number);
      return true;
    },
  };
}
