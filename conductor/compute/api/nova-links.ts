/**
 * Links in Nova's answers: `self` with the version and, where the request has one, the project in the path;
 * `bookmark` without the version; `next` where a list goes on.
 */
import type { FastifyRequest } from 'fastify';

export interface Link {
  readonly rel: string;
  readonly href: string;
}

/** `http://host:port`, no trailing slash. */
export function baseUrlOf(request: FastifyRequest, publicEndpoint: string | null): string {
  return publicEndpoint ?? `${request.protocol}://${request.host}`;
}

/** `path` is what follows the version: `flavors/42`. */
export function itemLinks(request: FastifyRequest, publicEndpoint: string | null, path: string): Link[] {
  const { service, version, project } = placeOf(request);
  const base = `${baseUrlOf(request, publicEndpoint)}/${service}`;
  return [
    { rel: 'self', href: `${base}/${version}${project}/${path}` },
    { rel: 'bookmark', href: `${base}${project}/${path}` },
  ];
}

/**
 * `{flavors_links: [...]}` to add to a list that may go on: there is more when the page is full.
 * @param path of the list, after the version: `flavors/detail`
 * @param ids of the items on this page
 */
export function nextLinks(
  request: FastifyRequest,
  publicEndpoint: string | null,
  list: { readonly key: string; readonly path: string },
  limit: number,
  ids: readonly string[],
): Readonly<Record<string, readonly Link[]>> {
  const last = ids.at(-1);
  if (last === undefined || ids.length < limit) return {};
  const { service, version, project } = placeOf(request);
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
  query.set('marker', last);
  const href = `${baseUrlOf(request, publicEndpoint)}/${service}/${version}${project}/${list.path}?${query}`;
  return { [`${list.key}_links`]: [{ rel: 'next', href }] };
}

function placeOf({ url, params }: FastifyRequest): { service: string; version: string; project: string } {
  const [, service = '', version = ''] = url.split('?', 1)[0]!.split('/');
  const { projectId } = params as { readonly projectId?: string };
  return { service, version, project: projectId === undefined ? '' : `/${encodeURIComponent(projectId)}` };
}
