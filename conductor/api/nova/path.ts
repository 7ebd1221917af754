/**
 * Paths of the compute API come in several forms for the same thing; the routes are there for one of them.
 *
 *   /compute/v2.1/servers                what the routes have
 *   /compute/v2.1/{project}/servers      old catalogs have the project in the path
 *   /compute/v2/...                      the API before microversions
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { App } from '../kit/app.ts';

export const PREFIX = '/compute';
/** Names that begin the path of a route; no project is called so. */
export const COLLECTION = /^(?:os-[a-z_-]+|servers|flavors|images|limits|extensions|scheduler)$/;

export interface NovaPath {
  readonly version: 'v2' | 'v2.1';
  readonly projectId: string | null;
  /** What follows, with its query. */
  readonly rest: string;
}

const PATH = /^\/compute\/(v2(?:\.1)?)\/(.*)$/s;
const OF_PROJECT = /^([^/?]+)\/([^/?]+)(.*)$/s;

/** Undefined for what has no version or nothing after it. */
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

/** The path that the routes have. */
export function routedPath(url: string): string {
  const path = parsePath(url);
  return path === undefined || path.rest === '' ? url : `${PREFIX}/v2.1/${path.rest}`;
}

/** As the client had it. */
export const pathOf = ({ originalUrl }: FastifyRequest): NovaPath =>
  parsePath(originalUrl) ?? { version: 'v2.1', projectId: null, rest: '' };

/** A project in the path says nothing that the token does not, so it must not say anything else. */
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
