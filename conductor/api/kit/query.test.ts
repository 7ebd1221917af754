import { describe, expect, it } from 'vitest';
import { rackRequest } from '../../../test/fakes/rack-api.ts';
import { type Argument, parseQuery } from './query.ts';

const KNOWN = {
  text: { kind: 'text' },
  integer: { kind: 'integer' },
  flag: { kind: 'flag' },
  uuid: { kind: 'uuid' },
  list: { kind: 'list', since: 5 },
} as const satisfies Record<string, Argument>;
const parsed = (query: object, minor = 5) => parseQuery(rackRequest(minor, { query }), KNOWN);
const UUID = '1BE26C0B-03F2-4D2E-AE87-C02D7F33C123';

describe('an argument of a query', () => {
  it.each<[keyof typeof KNOWN, string | string[], unknown]>([
    ['text', 'a,b', 'a,b'],
    ['text', '', ''],
    ['integer', '0', 0],
    ['integer', '-12', -12],
    ['integer', '123456789', 123_456_789],
    ['flag', 'Yes', true],
    ['flag', 'off', false],
    ['uuid', UUID, UUID.toLowerCase()],
    ['list', ' a, ,b', ['a', 'b']],
    ['list', ['a,b', 'c'], ['a', 'b', 'c']],
    ['list', '', []],
  ])('%s %j is %j', (name, value, expected) => {
    expect(parsed({ [name]: value })).toEqual({ [name]: expected });
  });

  it.each<[keyof typeof KNOWN, string, string]>([
    ['integer', '1.5', 'must be an integer'],
    ['integer', '', 'must be an integer'],
    ['integer', '+1', 'must be an integer'],
    ['integer', '1234567890', 'must be an integer'],
    ['flag', 'maybe', 'must be a boolean'],
    ['uuid', 'r1', 'must be a UUID'],
  ])('%s %j is refused: %s', (name, value, text) => {
    expect(() => parsed({ [name]: value })).toThrow(
      expect.objectContaining({
        code: 'invalidParameter',
        message: `The argument "${name}" ${text}, not "${value}"`,
      }),
    );
  });

  it('is cut in the text of an error', () => {
    expect(() => parsed({ integer: 'x'.repeat(65) })).toThrow(`not "${'x'.repeat(64)}"`);
  });

  it('that is no list stands only once', () => {
    expect(() => parsed({ integer: ['1', '2'] })).toThrow('The argument "integer" was given more than once');
  });

  it.each([
    [{ colour: '1', text: 'a', size: '2' }, 'Unexpected arguments: colour, size'],
    [{ toString: '1' }, 'Unexpected arguments: toString'],
  ])('that is not declared is refused: %j', (query, text) => {
    expect(() => parsed(query)).toThrow(expect.objectContaining({ code: 'invalidParameter', message: text }));
  });

  it('is refused by requests that are older than it', () => {
    expect(parsed({ text: 'a' }, 1)).toEqual({ text: 'a' });
    expect(() => parsed({ list: 'a' }, 4)).toThrow(
      expect.objectContaining({
        code: 'notAcceptable',
        message: expect.stringContaining('The argument "list" needs API version 1.5, this request uses 1.4'),
      }),
    );
  });
});
