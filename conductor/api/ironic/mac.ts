/**
 * MAC addresses in bodies and filters.
 */
import { type Mac, parseMac } from '../../domain/boot.ts';
import { IngotError } from '../../domain/errors.ts';

/** Throws invalidParameter naming `address`. */
export function macOf(text: unknown): Mac {
  // The API accepts only colons as separators; parseMac also accepts hyphens.
  const mac = typeof text === 'string' && text.includes(':') ? parseMac(text) : undefined;
  if (mac !== undefined) return mac;
  throw new IngotError(
    'invalidParameter',
    `Expected a MAC address but received ${String(text).slice(0, 64)}. "address" has six pairs of hex digits, such as 52:54:00:12:34:56.`,
  );
}
