import { describe, expect, it } from 'vitest';
import type { Tenant } from '../../identity/tenant.ts';
import { type Attributes, integer, text } from './attributes.ts';
import { type BodyRules, readPost, readPut } from './request-body.ts';

const attributes: Attributes = {
  name: { field: 'name', value: text, post: 'required', put: true },
  mtu: { field: 'mtu', value: integer(1, 9000), post: 'optional', put: true, admin: true },
  project_id: { field: 'projectId', value: text, post: 'optional' },
  tenant_id: { field: 'projectId', value: text, post: 'optional' },
  status: { field: 'status', value: text, put: true },
};
const RULES: BodyRules = { singular: 'rack', plural: 'racks', attributes };
const red: Tenant = { projectId: 'red', userId: 'ann', isAdmin: false, isMember: true };
const admin: Tenant = { ...red, isAdmin: true };
const post = (body: unknown, tenant = red) => readPost(body, RULES, tenant);
const put = (body: unknown, tenant = red) => readPut(body, RULES, tenant);

describe('the body of a request', () => {
  it('is one resource, or many, each with or without the key of its kind', () => {
    expect(post({ rack: { name: 'a', tenant_id: 'red' } })).toEqual({
      isBulk: false,
      all: [{ name: 'a', projectId: 'red' }],
    });
    expect(post({ racks: [{ name: 'a' }, { rack: { name: 'b' } }] })).toEqual({
      isBulk: true,
      all: [{ name: 'a' }, { name: 'b' }],
    });
    expect(put({ rack: { status: 'up' } })).toEqual({ status: 'up' });
    expect(put({ rack: { mtu: '900' } }, admin)).toEqual({ mtu: 900 });
  });

  it.each<[unknown, string]>([
    [null, 'Resource body required'],
    [{ shelf: {} }, "Unable to find 'rack' in request body"],
    [{ rack: 'x' }, "Object 'rack' contains invalid data"],
    [{ racks: [] }, 'Resources required'],
    [{ racks: Array(1001).fill({ name: 'a' }) }, 'At most 1000 racks are made at once'],
    [{ rack: {} }, "Required attribute 'name' not specified"],
    [{ rack: { name: 'a', colour: 'red' } }, "Unrecognized attribute(s) 'colour'"],
    [{ rack: { name: 5 } }, 'Invalid input for name. Reason: '],
    [{ rack: { name: 'a', status: 'up' } }, "Attribute 'status' not allowed in POST"],
    [{ rack: { name: 'a', mtu: 1 } }, "Policy doesn't allow setting mtu of a rack"],
    [{ rack: { name: 'a', project_id: 'red', tenant_id: 'blue' } }, 'do not match'],
    [{ rack: { name: 'a', project_id: '' } }, 'it is empty'],
    [{ rack: { name: 'a', project_id: 'blue' } }, 'requires admin privileges'],
  ])('POST: %j is refused', (body, reason) => {
    expect(() => post(body)).toThrow(reason);
  });

  it('PUT does not accept attributes that can be set only at the creation', () => {
    expect(() => put({ rack: { project_id: 'red' } })).toThrow(
      'Cannot update read-only attribute project_id',
    );
    expect(() => put([])).toThrow('Resource body required');
  });

  it('administrators may make resources in another project', () => {
    expect(post({ rack: { name: 'a', project_id: 'blue' } }, admin).all).toEqual([
      { name: 'a', projectId: 'blue' },
    ]);
  });
});
