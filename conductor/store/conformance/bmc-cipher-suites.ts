/** The cipher suite of a BMC is kept until another one is. */
import { describe, expect, it } from 'vitest';
import type { Subject } from './samples.ts';

export function bmcCipherSuiteConformance(store: Subject): void {
  describe('cipher suites of BMCs', () => {
    it('are kept for each BMC', async () => {
      const { bmcCipherSuites } = store();
      expect(await bmcCipherSuites.seenAt('10.0.0.7:623')).toBeUndefined();
      await bmcCipherSuites.put('10.0.0.7:623', 3);
      await bmcCipherSuites.put('10.0.0.8:623', 3);
      await bmcCipherSuites.put('10.0.0.7:623', 17);
      expect(await bmcCipherSuites.seenAt('10.0.0.7:623')).toBe(17);
      expect(await bmcCipherSuites.seenAt('10.0.0.8:623')).toBe(3);
    });
  });
}
