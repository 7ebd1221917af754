import { describe, expect, it } from 'vitest';
import { createBootNonces } from './boot-nonces.ts';

const HOUR_MS = 3_600_000;

describe('a nonce', () => {
  it('is known to the process that made it', () => {
    const nonces = createBootNonces();
    expect(nonces.numberOf(nonces.make())).toBeGreaterThan(0);
    expect(createBootNonces().numberOf(nonces.make())).toBeUndefined();
  });

  it('never occurs twice', () => {
    const nonces = createBootNonces(() => 5);
    expect(new Set(Array.from({ length: 1000 }, () => nonces.make())).size).toBe(1000);
  });

  it.each(['', 'x', 'A'.repeat(30), 'A'.repeat(31), '!'.repeat(30)])('is not %j', (text) => {
    expect(createBootNonces().numberOf(text)).toBeUndefined();
  });

  it('is used once a node, and none from before it after that', () => {
    const nonces = createBootNonces();
    const [early, late] = [nonces.make(), nonces.make()].map((nonce) => nonces.numberOf(nonce)!);
    expect(nonces.use('n1', late!)).toBe(true);
    expect(nonces.use('n1', late!)).toBe(false);
    expect(nonces.use('n1', early!)).toBe(false);
    expect(nonces.use('n2', early!)).toBe(true);
  });

  it('is forgotten after half an hour', () => {
    let clock = 0;
    const nonces = createBootNonces(() => clock);
    const nonce = nonces.make();
    clock = 0.49 * HOUR_MS;
    expect(nonces.numberOf(nonce)).toBeDefined();
    clock = 0.51 * HOUR_MS;
    expect(nonces.numberOf(nonce)).toBeUndefined();
  });
});
