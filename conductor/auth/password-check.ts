/**
 * Checks names and passwords against an htpasswd file, and limits wrong ones per address. All listeners share it.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { AttemptLimit } from './attempt-limit.ts';
import type { Htpasswd } from './htpasswd.ts';

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

export interface PasswordCheck {
  /** `address` is the caller's. Throws tooMany, and unavailable when too many are being checked. */
  isRight(given: Credentials, address: string): Promise<boolean>;
}

export function createPasswordCheck(
  users: Htpasswd,
  limit: AttemptLimit,
  logger: Pick<FastifyBaseLogger, 'warn'>,
): PasswordCheck {
  return {
    async isRight({ name, password }, address) {
      const attempt = await limit.begin(address);
      let right = false;
      try {
        right = await users.verify(name, password);
      } catch (error) {
        attempt.forget();
        throw error;
      }
      if (right) {
        attempt.forget();
        return true;
      }
      attempt.fail();
      // The name is not logged, because people type passwords there by mistake.
      logger.warn({ from: address }, 'a log-in failed');
      return false;
    },
  };
}

/** With `none`, every name and password is accepted. */
export const EVERY_PASSWORD: PasswordCheck = { isRight: async () => true };
