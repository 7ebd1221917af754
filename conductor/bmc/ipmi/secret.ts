/**
 * A secret value. Printed, logged or serialised, it shows asterisks.
 */
import { inspect } from 'node:util';
import { sameCode } from '@ingot/shared/codec/ipmi/session-keys.ts';

const MASK = '******';

export class Secret {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  static ofText(text: string): Secret {
    return new Secret(Buffer.from(text, 'utf8'));
  }

  /** The value itself. Never put it into a text. */
  reveal(): Buffer {
    return this.#bytes;
  }

  equals(other: Secret): boolean {
    return sameCode(this.#bytes, other.#bytes);
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
