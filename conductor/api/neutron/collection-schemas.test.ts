import { describe, expect, it } from 'vitest';
import { integer, text } from './attributes.ts';
import { bodySchema, listArguments } from './collection-schemas.ts';
import type { BodyRules } from './request-body.ts';

const RULES: BodyRules = {
  singular: 'rack',
  plural: 'racks',
  attributes: {
    name: { field: 'name', value: text, post: 'required', put: true },
    mtu: { field: 'mtu', value: integer(1, 9000), post: 'optional', put: true },
    project_id: { field: 'projectId', value: text, post: 'optional' },
    status: { field: 'status', value: text, put: true },
  },
};

describe('the schemas of requests', () => {
  it('have the attributes that the method accepts', () => {
    const inside = (verb: 'post' | 'put') => {
      const { rack } = bodySchema(RULES, verb)['properties'] as {
        rack: { properties: object; required: unknown };
      };
      return [Object.keys(rack.properties), rack.required];
    };
    expect(inside('post')).toEqual([['name', 'mtu', 'project_id'], ['name']]);
    expect(inside('put')).toEqual([['name', 'mtu', 'status'], []]);
  });

  it('have a filter for every attribute, and the arguments of pages', () => {
    expect(Object.keys(listArguments(RULES))).toEqual(
      expect.arrayContaining(['mtu', 'id', 'fixed_ips', 'tags-any', 'fields', 'limit', 'page_reverse']),
    );
  });
});
