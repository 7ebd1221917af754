import { describe, expect, it } from 'vitest';
import { currentPatch } from './older-patch.ts';

describe('a patch in the older form', () => {
  it('is converted to the current form', () => {
    const older = [{ replace: '/name', value: 'web' }, { add: '/os', value: 'debian' }, { remove: '/arch' }];
    expect(currentPatch(older)).toEqual([
      { op: 'replace', path: '/name', value: 'web' },
      { op: 'add', path: '/os', value: 'debian' },
      { op: 'remove', path: '/arch' },
    ]);
  });

  it.each([[[{}]], [[{ add: '/a', remove: '/b' }]], [[{ op: 'add', path: '/a' }]]])(
    'with another number of operations than one is refused: %j',
    (body) => expect(() => currentPatch(body)).toThrow('exactly one member named'),
  );

  it.each([null, 'text', { replace: '/name' }, ['text', null]])('%j is left as it is', (body) =>
    expect(currentPatch(body)).toEqual(body),
  );
});
