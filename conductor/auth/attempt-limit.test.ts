import { expect, it } from 'vitest';
import { type AttemptLimit, createAttemptLimit } from './attempt-limit.ts';

const ADDRESS = '10.0.0.7';
const fail = async (limit: AttemptLimit, address = ADDRESS) => (await limit.begin(address)).fail();

it('refuses an address after 20 wrong passwords, until the minute is over', async () => {
  let now = 0;
  const limit = createAttemptLimit(() => now);
  for (let nth = 0; nth < 20; nth++) await fail(limit);
  await expect(limit.begin(ADDRESS)).rejects.toThrow('Try again in 60 seconds');
  await expect(limit.begin('10.0.0.8')).resolves.toBeDefined();
  now = 60_000;
  await expect(limit.begin(ADDRESS)).resolves.toBeDefined();
});

it('counts a /64 of IPv6 as one address', async () => {
  const limit = createAttemptLimit(() => 0);
  for (let nth = 0; nth < 20; nth++) await fail(limit, `2001:db8::${nth}`);
  await expect(limit.begin('2001:db8::ffff')).rejects.toThrow('Too many');
  await expect(limit.begin('2001:db8:0:1::1')).resolves.toBeDefined();
});

it('lets only 20 guesses begin at the same time; the others wait and are refused', async () => {
  const limit = createAttemptLimit(() => 0);
  const begun = Array.from({ length: 60 }, () => limit.begin(ADDRESS));
  const outcomes = begun.map((one) =>
    one.then(
      () => 'begun',
      (error: Error) => error.message,
    ),
  );
  const first = await Promise.all(begun.slice(0, 20));
  for (const attempt of first) attempt.fail();
  const ends = await Promise.all(outcomes);
  expect(ends.filter((end) => end === 'begun')).toHaveLength(20);
  expect(ends.filter((end) => end.includes('Too many log-ins from this address'))).toHaveLength(40);
});

it('lets those that wait in when others were right, and refuses when too many wait', async () => {
  const limit = createAttemptLimit(() => 0);
  const begun = Array.from({ length: 120 }, () => limit.begin(ADDRESS));
  await expect(limit.begin(ADDRESS)).rejects.toThrow('being checked');
  for (const attempt of begun) (await attempt).forget();
  await expect(fail(limit)).resolves.toBeUndefined();
});
