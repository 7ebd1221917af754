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

/** Where we differ on purpose: personas that we let and Ironic does not. There are none the other way. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  // The service of the owner may provision the node, so it may switch its power and note so, too.
  'node:update': ['owner service'],
  'node:update_extra': ['owner service'],
  'node:set_power_state': ['owner service'],
  'node:set_boot_mode': ['owner service'],
  'node:set_secure_boot': ['owner service'],
  'allocation:get': ['owner service'],
  // A service that sees the volume attaches it.
  'volume:view_target_properties': ['owner service', 'lessee service', 'stranger service'],
  // Ironic's separate policies for nodes of one's own are one with these.
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
  // As with system scope.
  'port:create': ['service project service'],
  'port:delete': ['service project service'],
  'portgroup:create': ['service project service'],
  'portgroup:delete': ['service project service'],
};

describe('policies', () => {
  const shared = Object.entries(facts.policies).filter(([name]) => name in POLICIES);

  it('are those of Ironic', () => {
    expect(shared.length).toBeGreaterThan(85);
    // Two that are one with ours, and lists of ports and volumes, which are narrowed by what node:list_all gives.
    expect(Object.keys(facts.policies).filter((name) => !(name in POLICIES))).toEqual([
      'node:create:self_owned_node',
      'node:delete:self_owned_node',
      'port:list_all',
      'portgroup:list_all',
      'volume:list_all',
    ]);
  });

  it.each(shared)('%s lets whom Ironic lets', (name, signs) => {
    const theirs = facts.personas.filter((_, index) => signs[index] === '+');
    const ours = facts.personas.filter((one) => allows(persona(one), name as PolicyName, NODE));
    expect(ours.toSorted()).toEqual([...theirs, ...(MORE[name] ?? [])].toSorted());
  });

  it.each(Object.keys(POLICIES) as PolicyName[])(
    '%s lets more to higher roles, and nobody without one',
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

  it('no owner and no lessee is nobody, not a match', () => {
    const nobody: Caller = { user: 'u', scope: { kind: 'none' }, role: 'admin', service: false };
    expect(allows(nobody, 'node:get', { owner: null, lessee: null })).toBe(false);
    expect(allows(persona('owner admin'), 'node:get', { owner: null, lessee: null })).toBe(false);
    expect(allows(persona('owner admin'), 'node:get')).toBe(false);
  });

  it('all but system scope see a part', () => {
    expect(projectOf(operator(null))).toBeUndefined();
    expect(projectOf(persona('owner reader'))).toBe('A');
    expect(projectOf({ user: 'u', scope: { kind: 'none' }, role: null, service: false })).toBe('');
  });
});
