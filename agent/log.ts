/**
 * Log lines for a console and for the log archive: uptime, level, text. The newest are kept in a ring.
 */
import { readFileSync } from 'node:fs';

export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Oldest first. */
  lines(): readonly string[];
}

const KEPT_LINES = 5_000;

function uptime(): string {
  try {
    return readFileSync('/proc/uptime', 'utf8').split(' ')[0] ?? '?';
  } catch {
    return '?';
  }
}

export function createLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  const ring: string[] = [];
  const say = (level: string) => (text: string) => {
    const line = `agent: ${uptime()}s ${level}${text}`;
    ring.push(line);
    if (ring.length > KEPT_LINES) ring.shift();
    write(`${line}\n`);
  };
  return { info: say(''), warn: say('warning: '), error: say('error: '), lines: () => ring };
}
