/**
 * Bodies of requests: `{network: {...}}`, or `{networks: [...]}` for many at once. Errors have Neutron's texts.
 */
import { isJsonObject } from '../../domain/json.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { refused } from '../../network-service/network-error.ts';
import { type Attributes, placeOf } from './attributes.ts';

/** By the names of record fields. */
export type Values = Readonly<Record<string, unknown>>;

export interface BodyRules {
  readonly singular: string;
  readonly plural: string;
  readonly attributes: Attributes;
}

/** Largest number of resources in a request; more is a mistake. */
export const MAX_BULK = 1000;

export interface Created {
  readonly isBulk: boolean;
  readonly all: readonly Values[];
}

export function readPost(body: unknown, rules: BodyRules, tenant: Tenant): Created {
  if (!isJsonObject(body)) throw refused.badRequest('Resource body required');
  const { singular, plural } = rules;
  const many: unknown = body[plural];
  if (many !== undefined) {
    if (!Array.isArray(many) || many.length === 0) throw refused.badRequest('Resources required');
    if (many.length > MAX_BULK) throw refused.badRequest(`At most ${MAX_BULK} ${plural} are made at once`);
    // In bulk, the key of the kind around each item is optional.
    const each = many.map((one: unknown) =>
      isJsonObject(one) && isJsonObject(one[singular]) ? one[singular] : one,
    );
    return { isBulk: true, all: each.map((one) => readValues(one, rules, tenant, 'post')) };
  }
  return { isBulk: false, all: [readValues(within(body, singular), rules, tenant, 'post')] };
}

export function readPut(body: unknown, rules: BodyRules, tenant: Tenant): Values {
  if (!isJsonObject(body)) throw refused.badRequest('Resource body required');
  return readValues(within(body, rules.singular), rules, tenant, 'put');
}

function within(body: Readonly<Record<string, unknown>>, singular: string): unknown {
  if (body[singular] === undefined) throw refused.badRequest(`Unable to find '${singular}' in request body`);
  return body[singular];
}

function readValues(
  given: unknown,
  { singular, attributes }: BodyRules,
  tenant: Tenant,
  verb: 'post' | 'put',
): Values {
  if (!isJsonObject(given)) throw refused.badRequest(`Object '${singular}' contains invalid data`);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(attributes, name));
  if (unknown.length > 0)
    throw refused.badRequest(`Unrecognized attribute(s) '${unknown.join(', ').slice(0, 100)}'`);
  const values: Record<string, unknown> = {};
  for (const [name, { field, value: reader, post, put, admin }] of Object.entries(attributes)) {
    const value: unknown = given[name];
    if (value === undefined) {
      if (verb === 'post' && post === 'required')
        throw refused.badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
      continue;
    }
    if (verb === 'post' && post === undefined)
      throw refused.badRequest(`Attribute '${name}' not allowed in POST`);
    if (verb === 'put' && put === undefined)
      throw refused.badRequest(`Cannot update read-only attribute ${name}`);
    if (admin && !tenant.isAdmin)
      throw refused.forbidden(
        `Policy doesn't allow setting ${name} of a ${singular}: it needs the role admin.`,
      );
    const parsed = reader.read(value, placeOf(name));
    if (field === 'projectId') checkProject(values[field], parsed, tenant);
    if (parsed !== undefined) values[field] = parsed;
  }
  return values;
}

/** The attribute has two names: `project_id` and `tenant_id`. */
function checkProject(before: unknown, project: unknown, tenant: Tenant): void {
  if (before !== undefined && before !== project)
    throw refused.badRequest("'project_id' and 'tenant_id' do not match");
  if (project === '') throw refused.badRequest('Invalid input for project_id. Reason: it is empty.');
  if (!tenant.isAdmin && project !== tenant.projectId) {
    throw refused.badRequest(
      "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin privileges",
    );
  }
}
