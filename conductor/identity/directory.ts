/**
 * Who and what there is to identify: one domain, one project, three roles, and users, who are administrators of all
 * of it. A user's id is the name.
 */
import type { JsonObject } from '../domain/json.ts';
import { DEFAULT_PROJECT } from './tenant.ts';

const DOMAIN = { id: 'default', name: 'Default' } as const;

/** Names and ids of domains are taken as Keystone takes them: without regard to case. */
export const isOurDomain = ({ id, name }: { readonly id?: string; readonly name?: string }): boolean =>
  id === undefined ? name?.toLowerCase() === 'default' : id === DOMAIN.id;

export const isOurProject = ({ id, name }: { readonly id?: string; readonly name?: string }): boolean =>
  (id ?? name) === DEFAULT_PROJECT;

/** As tokens and assignments name them. */
export const DOMAIN_REF: JsonObject = DOMAIN;
export const PROJECT_REF: JsonObject = { id: DEFAULT_PROJECT, name: DEFAULT_PROJECT, domain: DOMAIN };
export const userRef = (name: string): JsonObject => ({ id: name, name, domain: DOMAIN });

/** What users hold on the project and on the system: one implies the next. */
export const ROLE_REFS: readonly JsonObject[] = ['admin', 'member', 'reader'].map((name) => ({
  id: name,
  name,
}));

/** Resources as their own lists show them, without `links`. */
export const DOMAINS: readonly JsonObject[] = [
  { ...DOMAIN, description: 'The only domain', enabled: true, tags: [], options: {} },
];
export const PROJECTS: readonly JsonObject[] = [
  {
    id: DEFAULT_PROJECT,
    name: DEFAULT_PROJECT,
    description: 'The project of everybody who needs no Keystone',
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
