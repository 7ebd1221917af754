/**
 * Lists of projects, domains, roles and services, and the calling user. Other users are not shown.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { assignmentsOf, DOMAINS, PROJECTS, ROLES, userOf } from '../../identity/directory.ts';
import type { LocalTokens } from '../../identity/local-tokens.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { catalogOf, endpointsList, type Place, servicesList } from './catalog.ts';

export interface DirectoryRoutes {
  readonly tokens: LocalTokens;
  readonly placeOf: (request: FastifyRequest) => Place;
}

/** What the rows depend on: our URLs and the caller. */
interface Asked {
  readonly place: Place;
  readonly user: string;
}

interface Collection {
  readonly path: string;
  /** Names of the list and of one item. */
  readonly many: string;
  readonly one: string;
  readonly rows: (asked: Asked) => readonly JsonObject[];
}

const COLLECTIONS: readonly Collection[] = [
  { path: 'projects', many: 'projects', one: 'project', rows: () => PROJECTS },
  { path: 'domains', many: 'domains', one: 'domain', rows: () => DOMAINS },
  { path: 'roles', many: 'roles', one: 'role', rows: () => ROLES },
  { path: 'users', many: 'users', one: 'user', rows: ({ user }) => [userOf(user)] },
  { path: 'regions', many: 'regions', one: 'region', rows: ({ place }) => [regionOf(place.region)] },
  { path: 'services', many: 'services', one: 'service', rows: servicesList },
  { path: 'endpoints', many: 'endpoints', one: 'endpoint', rows: ({ place }) => endpointsList(place) },
];

/** Lists without a route for one item. */
const LISTS: readonly Omit<Collection, 'one'>[] = [
  { path: 'auth/projects', many: 'projects', rows: () => PROJECTS },
  { path: 'auth/domains', many: 'domains', rows: () => [] },
  { path: 'auth/system', many: 'system', rows: () => [{ all: true }] },
  { path: 'auth/catalog', many: 'catalog', rows: ({ place }) => catalogOf(place) },
  { path: 'users/:user/projects', many: 'projects', rows: () => PROJECTS },
  { path: 'users/:user/groups', many: 'groups', rows: () => [] },
  { path: 'role_assignments', many: 'role_assignments', rows: ({ user }) => assignmentsOf(user) },
];

export function registerDirectory(app: App, { tokens, placeOf }: DirectoryRoutes): void {
  /** With auth none, the token alone identifies the caller. */
  async function askedBy(request: FastifyRequest): Promise<Asked> {
    const token = request.headers['x-auth-token'];
    const claims = typeof token === 'string' ? await tokens.claimsOf(token) : undefined;
    return { place: placeOf(request), user: claims?.user ?? request.tenant.userId };
  }

  for (const { path, many, rows } of [...COLLECTIONS, ...LISTS]) {
    app.get<{ Params: { user?: string } }>(
      `/v3/${path}`,
      described('token', `List ${many}`, { query: ARGUMENTS, list: many }),
      async (request) => {
        const asked = await askedBy(request);
        const { user = asked.user } = request.params;
        if (user !== asked.user) throw missing('user', user);
        const { base } = asked.place;
        const self = `${base}${request.url.split('?', 1)[0]}`;
        const found = rows(asked).filter((row) => matches(row, request.query as Query));
        const shown = found.map((row) => (path in LINKED ? linked(base, path, row) : row));
        return { [many]: shown, links: { next: null, self, previous: null } };
      },
    );
  }
  for (const { path, one, rows } of COLLECTIONS) {
    app.get<{ Params: { id: string } }>(
      `/v3/${path}/:id`,
      described('token', `Show a ${one}`, { item: one }),
      async (request) => {
        const asked = await askedBy(request);
        const row = rows(asked).find(({ id }) => id === request.params.id);
        if (row === undefined) throw missing(one, request.params.id);
        return { [one]: linked(asked.place.base, path, row) };
      },
    );
  }
}

type Query = Readonly<Record<string, string | string[]>>;

const LINKED = Object.fromEntries(COLLECTIONS.map(({ path }) => [path, true]));
/** Filters of lists; other arguments are ignored, as in Keystone. */
const NARROWING = ['name', 'domain_id', 'type', 'service_id', 'interface', 'region_id', 'enabled'];

const ARGUMENTS = Object.fromEntries(NARROWING.map((name) => [name, { type: 'string' }]));

const matches = (row: JsonObject, query: Query): boolean =>
  NARROWING.filter((name) => name in query && name in row).every((name) =>
    [query[name]].flat().every((wanted) => String(wanted).toLowerCase() === String(row[name]).toLowerCase()),
  );

const linked = (base: string, path: string, row: JsonObject): JsonObject => ({
  ...row,
  links: { self: `${base}/identity/v3/${path}/${encodeURIComponent(String(row['id']))}` },
});

const regionOf = (id: string): JsonObject => ({ id, description: '', parent_region_id: null });

const missing = (kind: string, id: string): IngotError =>
  new IngotError('notFound', `Could not find ${kind}: ${id.slice(0, 64)}.`);
