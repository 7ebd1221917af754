/**
 * The conductor refuses root device hints where they are written, the agent where it reads them: whatever passes the
 * one passes the other.
 */
import { parseHints } from '@ingot/agent/disk/hints.ts';
import { badRootDeviceHints, ROOT_DEVICE_HINTS } from '@ingot/shared/ironic/root-device-hints.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const agentTakes = (hints: object): boolean => {
  try {
    parseHints(hints as Record<string, unknown>);
    return true;
  } catch {
    return false;
  }
};

const names = Object.keys(ROOT_DEVICE_HINTS);
const word = fc.constantFrom('sda', '10', '1.5', 'x y', '', ' ', '-1', 'true', 'no', '10GB');
const operator = fc.constantFrom(
  '',
  '=',
  '==',
  '!=',
  '>=',
  '<=',
  '<',
  '>',
  's==',
  's!=',
  's<',
  '<in>',
  '<all-in>',
  '<or>',
);
const value = fc.oneof(
  fc.tuple(operator, word, operator, word).map((parts) => parts.join(' ')),
  fc.tuple(operator, word).map((parts) => parts.join('')),
  fc.constantFrom(null, true, false, 0, 1, 100, 1.5, -3, [], {}),
);

describe('root device hints', () => {
  it('that the conductor takes are understood by the agent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names, 'colour'), value, (name, wanted) => {
        const hints = { [name]: wanted };
        if (badRootDeviceHints(hints) === undefined) expect(agentTakes(hints)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    { size: 100 },
    { size: '100' },
    { size: '>= 100' },
    { size: '<or> 100 <or> 200.5' },
    { rotational: false },
    { rotational: 'no' },
    { serial: 'S3YZNB0K', wwn: '0x5002538e4 ' },
    { serial: 12345 },
    { model: '<in> samsung' },
    { model: '<all-in> samsung 970' },
    { vendor: '<or> ata <or> nvme' },
    { name: 's== /dev/nvme0n1' },
    { hctl: 's!= 0:0:0:0' },
    {},
  ])('%o are taken by both', (hints) => {
    expect([badRootDeviceHints(hints), agentTakes(hints)]).toEqual([undefined, true]);
  });

  it('all have a name the agent knows', () => {
    for (const name of names) {
      const wanted = ROOT_DEVICE_HINTS[name as keyof typeof ROOT_DEVICE_HINTS] === 'flag' ? true : 1;
      expect(agentTakes({ [name]: wanted })).toBe(true);
    }
  });
});
