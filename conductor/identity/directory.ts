/**
 * The fixed contents of our own identity service: one domain, one project and three roles. Every user is an
 * administrator of the project and of the system. A user's id is the user's name.
 */
import type { JsonObject } from '../domain/json.ts';
import { DEFAULT_PROJECT } from './tenant.ts';

const DOMAIN = { id: 'default', name: 'Default' } as const;

/** As in Keystone, the names and ids of domains are compared without regard to case. */
export const isOurDomain = ({ id, name }: { readonly id?: string; readonly name?: string }): boolean =>
  id === undefined ? name?.toLowerCase() === 'default' : id === DOMAIN.id;

export const isOurProject = ({ id, name }: { readonly id?: string; readonly name?: string }): boolean =>
  (id ?? name) === DEFAULT_PROJECT;

/** The short form that tokens and role assignments contain. */
export const DOMAIN_REF: JsonObject = DOMAIN;
export const PROJECT_REF: JsonObject = { id: DEFAULT_PROJECT, name: DEFAULT_PROJECT, domain: DOMAIN };
export const userRef = (name: string): JsonObject => ({ id: name, name, domain: DOMAIN });

/** Every user has all three roles. Each role implies the next. */
export const ROLE_REFS: readonly JsonObject[] = ['admin', 'member', 'reader'].map((name) => ({
  id: name,
  name,
}));

/** The long form that the lists of domains, projects and roles contain, without `links`. */
export const DOMAINS: readonly JsonObject[] = [
  { ...DOMAIN, description: 'The only domain', enabled: true, tags: [], options: {} },
];
export const PROJECTS: readonly JsonObject[] = [
  {
    id: DEFAULT_PROJECT,
    name: DEFAULT_PROJECT,
    description: 'The only project',
    domain_id: DOMAIN.id,
    parent_id: DOMAIN.id,
    is_domain: false,
    enabled: true,
    tags: [],
    options: {},
  },
];
export const ROLES: readonly JsonObject[] = ROLE_REFS.map((role) => ({
  ...role,
  domain_id: null,
  description: null,
  options: {},
}));
export const userOf = (name: string): JsonObject => ({
  id: name,
  name,
  domain_id: DOMAIN.id,
  default_project_id: DEFAULT_PROJECT,
  enabled: true,
  password_expires_at: null,
  options: {},
});

/** Every role on the project and on the system. */
export const assignmentsOf = (name: string): JsonObject[] =>
  [{ project: PROJECT_REF }, { system: { all: true } }].flatMap((scope) =>
    ROLE_REFS.map((role): JsonObject => ({ role, user: userRef(name), scope, links: {} })),
  );
