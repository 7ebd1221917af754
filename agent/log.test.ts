import { expect, it } from 'vitest';
import { createLog } from './log.ts';

const texts = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/^agent: [\d.?]+s /, ''));

it('writes one line per text, with uptime and level', () => {
  const written: string[] = [];
  const log = createLog((line) => written.push(line));
  log.info('a');
  log.warn('b');
  log.error('c');
  expect(written.join('')).toMatch(
    /^agent: [\d.]+s a\nagent: [\d.]+s warning: b\nagent: [\d.]+s error: c\n$/,
  );
  expect(texts(log.lines())).toEqual(['a', 'warning: b', 'error: c']);
});

it('writes external texts on one line, without control characters', () => {
  const log = createLog(() => undefined);
  log.info('disk\nagent: 1s forged\r\n\x1b[2Jgone\x9b31m\0');
  expect(texts(log.lines())).toEqual(['disk agent: 1s forged [2Jgone 31m']);
});

it('masks secrets in all texts', () => {
  const log = createLog(() => undefined);
  log.conceal('s3cret-t0ken');
  log.conceal('');
  log.error('GET http://h/v1/commands?agent_token=s3cret-t0ken failed for s3cret-t0ken');
  expect(texts(log.lines())).toEqual([
    'error: GET http://h/v1/commands?agent_token=****** failed for ******',
  ]);
});

it('is bounded: the newest 5000 lines, each with a limited length', () => {
  const log = createLog(() => undefined);
  for (let number = 0; number < 5_010; number += 1) log.info(String(number));
  expect(log.lines()).toHaveLength(5_000);
  expect(texts(log.lines())[0]).toBe('10');
  log.info('x'.repeat(100_000));
  expect(log.lines().at(-1)?.length).toBeLessThan(2_100);
});
