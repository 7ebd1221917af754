/**
 * Converts the paths of the compute API, which have several forms, to the form of the routes.
 *
 *   /compute/v2.1/servers                the form of the routes
 *   /compute/v2.1/{project}/servers      old catalogs have the project in the path
 *   /compute/v2/...                      the API before microversions
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { App } from '../kit/app.ts';

export const PREFIX = '/compute';
/** First words in paths of routes; no project has such a name. */
export const COLLECTION = /^(?:os-[a-z_-]+|servers|flavors|images|limits|extensions|scheduler)$/;

export interface NovaPath {
  readonly version: 'v2' | 'v2.1';
  readonly projectId: string | null;
  /** The rest, including the query. */
  readonly rest: string;
}

const PATH = /^\/compute\/(v2(?:\.1)?)\/(.*)$/s;
const OF_PROJECT = /^([^/?]+)\/([^/?]+)(.*)$/s;

/** Undefined for a path without a version, or without anything after it. */
export function parsePath(url: string): NovaPath | undefined {
  const [, version, rest] = PATH.exec(url) ?? [];
  if (version === undefined || rest === undefined) return undefined;
  const [, project = '', collection = '', more = ''] = OF_PROJECT.exec(rest) ?? [];
  const hasProject = !COLLECTION.test(project) && COLLECTION.test(collection);
  return {
    version: version as NovaPath['version'],
    projectId: hasProject ? project : null,
    rest: hasProject ? `${collection}${more}` : rest,
  };
}

/** The path in the form of the routes. */
export function routedPath(url: string): string {
  const path = parsePath(url);
  return path === undefined || path.rest === '' ? url : `${PREFIX}/v2.1/${path.rest}`;
}

/** The path as the client sent it. */
export const pathOf = ({ originalUrl }: FastifyRequest): NovaPath =>
  parsePath(originalUrl) ?? { version: 'v2.1', projectId: null, rest: '' };

/** A project in the path must be the project of the token. */
export function checkProjectInPath(app: App): void {
  app.addHook('onRequest', async (request) => {
    const { tenant } = request;
    const { projectId } = pathOf(request);
    if (projectId === null || projectId === tenant.projectId || tenant.isAdmin) return;
    throw new IngotError(
      'invalidParameter',
      `Malformed request URL: URL's project_id '${projectId.slice(0, 64)}' doesn't match Context's project_id '${tenant.projectId}'`,
    );
  });
}
