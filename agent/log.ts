/**
 * Log lines for the console and the log archive: uptime, level, text. The newest lines are kept in memory.
 *
 * Texts may come from the network or from programs. Each is made one line without control characters, with a limited
 * length and with known secrets masked.
 */
import { readFileSync } from 'node:fs';

export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** From now on this text is logged as `******`. */
  conceal(secret: string): void;
  /** Oldest first. */
  lines(): readonly string[];
}

const KEPT_LINES = 5_000;
const LONGEST_TEXT = 2_000;
/** A shorter secret would mask ordinary words. */
const SHORTEST_SECRET = 4;
const STARS = '******';

function uptime(): string {
  try {
    return readFileSync('/proc/uptime', 'utf8').split(' ')[0] ?? '?';
  } catch {
    return '?';
  }
}

export function createLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  const ring: string[] = [];
  const secrets = new Set<string>();
  const clean = (text: string): string => {
    const open = [...secrets].reduce((rest, secret) => rest.replaceAll(secret, STARS), text);
    const line = open.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim();
    return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
  };
  const say = (level: string) => (text: string) => {
    const line = `agent: ${uptime()}s ${level}${clean(text)}`;
    ring.push(line);
    if (ring.length > KEPT_LINES) ring.shift();
    write(`${line}\n`);
  };
  return {
    info: say(''),
    warn: say('warning: '),
    error: say('error: '),
    conceal(secret) {
      if (secret.length >= SHORTEST_SECRET) secrets.add(secret);
    },
    lines: () => ring,
  };
}
