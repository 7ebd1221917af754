import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  allows,
  type Caller,
  describeRule,
  operator,
  POLICIES,
  type PolicyName,
  projectOf,
  ROLES,
  type Role,
} from './policy.ts';

interface Facts {
  readonly personas: readonly string[];
  readonly policies: Readonly<Record<string, string>>;
}
const facts: Facts = JSON.parse(
  readFileSync(new URL('./fixtures/ironic-policies.json', import.meta.url), 'utf8'),
);
const NODE = { owner: 'A', lessee: 'B' };
const PROJECTS: Readonly<Record<string, string>> = { owner: 'A', lessee: 'B', stranger: 'C' };

function persona(name: string): Caller {
  const [who = '', role] = name.split(' ');
  if (name === 'service project service') return { ...operator(null), role: 'member', service: true };
  const project = PROJECTS[who];
  return {
    user: null,
    scope: project === undefined ? { kind: 'system' } : { kind: 'project', id: project },
    role: ROLES.includes(role as Role) ? (role as Role) : null,
    service: role === 'service',
  };
}

/** Intended differences: personas that Ingot allows and Ironic does not. There are none the other way round. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  // The owner's service may provision the node, so it may also switch its power and record that.
  'node:update': ['owner service'],
  'node:update_extra': ['owner service'],
  'node:set_power_state': ['owner service'],
  'node:set_boot_mode': ['owner service'],
  'node:set_secure_boot': ['owner service'],
  'allocation:get': ['owner service'],
  // A service that sees a volume can attach it.
  'volume:view_target_properties': ['owner service', 'lessee service', 'stranger service'],
  // Ironic's separate policies for a project's own nodes are part of these.
  'node:create': [
    'owner admin',
    'owner service',
    'lessee admin',
    'lessee service',
    'stranger admin',
    'stranger service',
    'service project service',
  ],
  'node:delete': ['owner admin'],
  // Like services with system scope.
  'port:create': ['service project service'],
  'port:delete': ['service project service'],
  'portgroup:create': ['service project service'],
  'portgroup:delete': ['service project service'],
};

describe('policies', () => {
  const shared = Object.entries(facts.policies).filter(([name]) => name in POLICIES);

  it('are those of Ironic', () => {
    expect(shared.length).toBeGreaterThan(85);
    // Two that are part of ours, and three for lists, which node:list_all decides in Ingot.
    expect(Object.keys(facts.policies).filter((name) => !(name in POLICIES))).toEqual([
      'node:create:self_owned_node',
      'node:delete:self_owned_node',
      'port:list_all',
      'portgroup:list_all',
      'volume:list_all',
    ]);
  });

  it.each(shared)('%s allows the personas that Ironic allows', (name, signs) => {
    const theirs = facts.personas.filter((_, index) => signs[index] === '+');
    const ours = facts.personas.filter((one) => allows(persona(one), name as PolicyName, NODE));
    expect(ours.toSorted()).toEqual([...theirs, ...(MORE[name] ?? [])].toSorted());
  });

  it.each(Object.keys(POLICIES) as PolicyName[])(
    '%s allows more to higher roles and nothing without a role',
    (name) => {
      for (const project of Object.keys(PROJECTS)) {
        const lets = ROLES.map((role) => allows(persona(`${project} ${role}`), name, NODE));
        expect(lets).toEqual(lets.toSorted());
        expect(allows(persona(`${project} none`), name, NODE)).toBe(false);
      }
      const system = ROLES.map((role) => allows(persona(`system ${role}`), name, NODE));
      expect(system).toEqual(system.toSorted());
      expect(system.at(-1)).toBe(true);
      expect(allows({ user: 'u', scope: { kind: 'none' }, role: 'admin', service: true }, name, NODE)).toBe(
        false,
      );
      expect(allows(operator(null), name)).toBe(true);
    },
  );

  it('are in docs/security.md', () => {
    const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_:]+)` \| (.*) \|$/gm)].map(([, name, text]) => [name, text]);
    const ours = (Object.keys(POLICIES) as PolicyName[]).map((name) => [name, describeRule(name)]);
    expect(rows.filter(([name]) => name?.includes(':'))).toEqual(ours);
  });

  it('a missing owner or lessee matches no project', () => {
    const nobody: Caller = { user: 'u', scope: { kind: 'none' }, role: 'admin', service: false };
    expect(allows(nobody, 'node:get', { owner: null, lessee: null })).toBe(false);
    expect(allows(persona('owner admin'), 'node:get', { owner: null, lessee: null })).toBe(false);
    expect(allows(persona('owner admin'), 'node:get')).toBe(false);
  });

  it('callers without system scope see only a part', () => {
    expect(projectOf(operator(null))).toBeUndefined();
    expect(projectOf(persona('owner reader'))).toBe('A');
    expect(projectOf({ user: 'u', scope: { kind: 'none' }, role: null, service: false })).toBe('');
  });
});
