/** Revoked tokens are kept until they expire. */
import { describe, expect, it } from 'vitest';
import { later, NOW, type Subject } from './samples.ts';

export function revokedTokenConformance(store: Subject): void {
  describe('revoked tokens', () => {
    it('are known from then on, however often they are revoked', async () => {
      const { revokedTokens } = store();
      await revokedTokens.add('a', later(1000), NOW);
      await revokedTokens.add('a', later(1000), NOW);
      expect([await revokedTokens.has('a'), await revokedTokens.has('b')]).toEqual([true, false]);
    });

    it('are forgotten when another one is revoked after their end', async () => {
      const { revokedTokens } = store();
      await revokedTokens.add('a', later(1000), NOW);
      await revokedTokens.add('b', later(2000), later(999));
      expect(await revokedTokens.has('a')).toBe(true);
      await revokedTokens.add('c', later(3000), later(1000));
      expect([await revokedTokens.has('a'), await revokedTokens.has('b')]).toEqual([false, true]);
    });
  });
}
