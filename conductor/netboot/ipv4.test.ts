import { expect, it } from 'vitest';
import { broadcastOf, sameNetwork, toDotted, toNumber } from './ipv4.ts';

it('calculates with addresses', () => {
  expect(toDotted(toNumber('255.254.1.0'))).toBe('255.254.1.0');
  expect(sameNetwork('200.1.2.3', '200.1.3.3', '255.255.254.0')).toBe(true);
  expect(sameNetwork('200.1.2.3', '200.1.4.3', '255.255.254.0')).toBe(false);
  expect(broadcastOf('200.1.2.3', '255.255.254.0')).toBe('200.1.3.255');
});
