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
  const NAMES = { post: ['name', 'mtu', 'project_id'], put: ['name', 'mtu', 'status'] };
  const one = (title: string, names: readonly string[], required: readonly string[]) =>
    expect.objectContaining({
      title,
      properties: Object.fromEntries(names.map((name) => [name, expect.anything()])),
      required,
    });

  it('have the attributes that the method accepts; many can be made at once', () => {
    const create = one('RackCreate', NAMES.post, ['name']);
    const many = { type: 'array', items: create, minItems: 1, maxItems: 1000 };
    expect(bodySchema(RULES, 'post')).toEqual({
      anyOf: [
        { type: 'object', properties: { rack: create }, required: ['rack'] },
        { type: 'object', properties: { racks: many }, required: ['racks'] },
      ],
    });
    expect(bodySchema(RULES, 'put')['properties']).toEqual({ rack: one('RackUpdate', NAMES.put, []) });
  });

  it('have a filter for every attribute, and the arguments of pages', () => {
    expect(Object.keys(listArguments(RULES))).toEqual(
      expect.arrayContaining(['mtu', 'id', 'fixed_ips', 'tags-any', 'fields', 'limit', 'page_reverse']),
    );
  });
});
