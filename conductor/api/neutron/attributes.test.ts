import { describe, expect, it } from 'vitest';
import type { Reader } from '../kit/readers.ts';
import {
  address,
  always,
  choice,
  dictionary,
  flag,
  integer,
  listOf,
  mac,
  placeOf,
  tags,
  text,
  uuid,
} from './attributes.ts';

const UUID = '6A8B3C1E-0000-4000-8000-00000000FFFF';
const read = <T>(reader: Reader<T>, value: unknown): T => reader.read(value, placeOf('it'));
const long = 'x'.repeat(256);

describe('the value of an attribute', () => {
  it.each<[string, Reader<unknown>, unknown, unknown]>([
    ['text', text, 'web', 'web'],
    ['flag', flag, 'True', true],
    ['flag', flag, 0, false],
    ['integer', integer(1, 9), '5', 5],
    ['integer', integer(-1, 9), -1, -1],
    ['choice', choice(4, 6), '6', 6],
    ['choice', choice('vlan', 'flat'), 'flat', 'flat'],
    ['uuid', uuid, UUID, UUID.toLowerCase()],
    ['address', address, '10.0.0.1', '10.0.0.1'],
    ['mac', mac, '3C:EC:EF:12:34:56', '3c:ec:ef:12:34:56'],
    ['list', listOf(address, 2), null, []],
    ['list', listOf(address, 2), ['10.0.0.1'], ['10.0.0.1']],
    ['dictionary', dictionary, { a: 1 }, { a: 1 }],
    ['what is always so', always(null, 'not here'), null, undefined],
    ['what is always so', always([], 'not here'), [], undefined],
    ['tags', tags, ['a', 'b c'], ['a', 'b c']],
  ])('%s: %j %j', (_, reader, value, expected) => {
    expect(read(reader, value)).toEqual(expected);
  });

  it.each<[Reader<unknown>, unknown, string]>([
    [text, 5, "'5' is not a valid string"],
    [text, 'a\nb', 'it holds control characters'],
    [text, long, `'${'x'.repeat(32)}...' exceeds maximum length of 255`],
    [flag, 'maybe', "'maybe' cannot be converted to boolean"],
    [flag, {}, "'{}' cannot be converted to boolean"],
    [integer(1, 9), 'x', "'x' is not an integer"],
    [integer(1, 9), '10', '10 is not in the range 1 to 9'],
    [choice(4, 6), 5, "'5' is not in [4, 6]"],
    [uuid, 'x', "'x' is not a valid UUID"],
    [address, '10.0.0', "'10.0.0' is not a valid IP address"],
    [mac, '01:00:00:00:00:00', 'is not a valid MAC address'],
    [listOf(address, 1), {}, "'{}' is not a list"],
    [listOf(address, 1), ['10.0.0.1', '10.0.0.2'], 'it has 2 items, and 1 are the most'],
    [listOf(address, 2), ['10.0.0.1', '10.0.0.1'], 'Duplicate items in the list'],
    [dictionary, [], "'[]' is not a dictionary"],
    [dictionary, { a: 'x'.repeat(4095) }, 'it exceeds 4095 characters'],
    [always(false, 'not here'), true, "'true': not here"],
    [tags, ['a,b'], 'is no tag'],
    [tags, [''], 'is no tag'],
    [tags, [long], 'is no tag'],
  ])('of another kind is refused with the name of the attribute: %o %j', (reader, value, reason) => {
    expect(() => read(reader, value)).toThrow('Invalid input for it. Reason: ');
    expect(() => read(reader, value)).toThrow(reason);
  });
});
