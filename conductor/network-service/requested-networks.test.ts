import { expect, it } from 'vitest';
import { networkPortOf } from '../../test/fakes/compute/records.ts';
import { inRequestedOrder } from './requested-networks.ts';

const portOf = (uuid: string, id: number, networkUuid: string, isOwnedByServer = true) =>
  networkPortOf({ uuid, id, networkUuid, isOwnedByServer });
const FIRST = portOf('first', 1, 'rack');
const SECOND = portOf('second', 2, 'rack');
const GIVEN = portOf('given', 3, 'rack', false);

it('pairs the ports of a server with the interfaces it asked for, each with its tag', () => {
  const wanted = [
    { portUuid: 'given', tag: 'storage' },
    { networkUuid: 'rack', tag: 'front' },
    { networkUuid: 'rack', tag: 'back' },
  ];
  expect(inRequestedOrder(wanted, [SECOND, GIVEN, FIRST])).toEqual([
    { port: GIVEN, tag: 'storage' },
    { port: FIRST, tag: 'front' },
    { port: SECOND, tag: 'back' },
  ]);
});

it('puts ports that were attached later at the end, without a tag', () => {
  const wanted = [{ networkUuid: 'rack', tag: 'front' }];
  expect(inRequestedOrder(wanted, [GIVEN, SECOND, FIRST])).toEqual([
    { port: FIRST, tag: 'front' },
    { port: SECOND },
    { port: GIVEN },
  ]);
  expect(inRequestedOrder('auto', [SECOND, FIRST])).toEqual([{ port: FIRST }, { port: SECOND }]);
});

it('leaves out interfaces whose port was detached', () => {
  const wanted = [{ portUuid: 'gone', tag: 'x' }, { networkUuid: 'other' }];
  expect(inRequestedOrder(wanted, [FIRST])).toEqual([{ port: FIRST }]);
});
