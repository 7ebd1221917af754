/**
 * The conductor's log: JSON lines on standard output. URLs in errors are redacted, wherever an error comes from.
 */
import { type Logger, pino } from 'pino';
import { redactedText } from '../domain/redacted-url.ts';

export const createLogger = (level: string): Logger => pino({ level, serializers: { err: redactedError } });

/** The texts of an error and of its causes, as pino writes them. */
export function redactedError(error: Error): object {
  const written = Object.entries(pino.stdSerializers.err(error));
  return Object.fromEntries(
    written.map(([key, value]) => [key, typeof value === 'string' ? redactedText(value) : value]),
  );
}
