import { expect, it } from 'vitest';
import { throttleWarnings } from './log-throttle.ts';

it('logs the first of a kind at once, then one a minute with the number of omitted ones', () => {
  const lines: [object, string][] = [];
  let clock = 0;
  const warn = throttleWarnings(
    (fields, text) => lines.push([fields, text]),
    () => new Date(clock),
  );
  for (clock = 0; clock < 60_000; clock += 10_000) warn({ from: clock }, 'bad packet');
  warn({}, 'other');
  clock = 60_000;
  warn({ from: 7 }, 'bad packet');
  expect(lines).toEqual([
    [{ from: 0 }, 'bad packet'],
    [{}, 'other'],
    [{ from: 7, moreSinceLast: 5 }, 'bad packet'],
  ]);
});
