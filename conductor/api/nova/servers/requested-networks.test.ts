import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseNetworks } from './requested-networks.ts';

const uuid = randomUUID();
const port = randomUUID();

describe('the networks of a request', () => {
  it.each([
    ['nothing', undefined, 'auto'],
    ['an empty list', [], 'auto'],
    ['none', 'none', 'none'],
    ['a network', [{ uuid }], [{ networkUuid: uuid }]],
    [
      'an address and a tag',
      [{ uuid, fixed_ip: '10.9.0.9', tag: 'front' }],
      [{ networkUuid: uuid, fixedIp: '10.9.0.9', tag: 'front' }],
    ],
    ['a port, which comes before its network', [{ uuid, port, tag: 't' }], [{ portUuid: port, tag: 't' }]],
    ['a network and no port', [{ uuid, port: null }], [{ networkUuid: uuid }]],
  ] as const)('are parsed from %s', (_, asked, parsed) => {
    expect(parseNetworks(asked, 1)).toEqual(parsed);
  });

  it.each([
    ['a port twice', [{ port }, { port }], 1, 'was specified twice'],
    ['a port with an address', [{ port, fixed_ip: '10.9.0.9' }], 1, 'cannot be specified together'],
    ['a port of two servers', [{ port }], 2, 'multiple instances with a single configured port ID'],
    ['an address of two servers', [{ uuid, fixed_ip: '10.9.0.9' }], 2, 'max_count cannot be greater than 1'],
    ['neither network nor port', [{ tag: 't' }], 1, "missing 'uuid'"],
    ['a network that is no UUID', [{ uuid: 'rack' }], 1, 'not in proper format (rack)'],
  ] as const)('are refused for %s', (_, asked, count, message) => {
    expect(() => parseNetworks(asked, count)).toThrow(message);
  });
});
