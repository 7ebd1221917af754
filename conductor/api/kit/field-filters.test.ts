import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import { expect, it } from 'vitest';
import { fieldFilter, filterArguments } from './field-filters.ts';

const TABLE = fieldTable([
  ['rack_name', 7, 'text', 'cf'],
  ['in_use', 1, 'flag', 'f'],
  ['owner_uuid', 3, 'uuid', 'f', { filterSince: 9 }],
  ['extra', 1, 'dict', 'cp'],
]);

it('a filterable field is an argument of its kind, from the version that the row says', () => {
  expect(filterArguments(TABLE)).toEqual({
    rack_name: { kind: 'text', since: 7 },
    in_use: { kind: 'flag' },
    owner_uuid: { kind: 'uuid', since: 9 },
  });
});

it('a query becomes values of stored fields', () => {
  expect(fieldFilter({ rack_name: 'r1', limit: 3 }, TABLE)).toEqual({
    rackName: 'r1',
    inUse: undefined,
    ownerUuid: undefined,
  });
});

it('nodes are filtered by these fields', () => {
  expect(Object.entries(filterArguments(NODE_FIELDS)).map(([name, { since = 1 }]) => [name, since])).toEqual([
    ['driver', 16],
    ['instance_uuid', 1],
    ['chassis_uuid', 1],
    ['provision_state', 9],
    ['maintenance', 1],
    ['fault', 42],
    ['resource_class', 21],
    ['conductor_group', 46],
    ['owner', 50],
    ['retired', 61],
    ['lessee', 65],
    ['parent_node', 83],
    ['instance_name', 104],
  ]);
});
