/**
 * Links in Nova's answers: `self` with the version and, if the request has one, the project in the path; `bookmark`
 * without the version; `next` when a list continues.
 */
import type { FastifyRequest } from 'fastify';
import { baseUrlOf } from '../kit/base-url.ts';
import { nextPageUrl } from '../kit/next-page.ts';
import { PREFIX, pathOf } from './path.ts';

export interface Link {
  readonly rel: string;
  readonly href: string;
}

/** `path` is the part after the version: `flavors/42`. */
export function itemLinks(request: FastifyRequest, publicEndpoint: string | null, path: string): Link[] {
  const { version, project } = placeOf(request);
  const base = `${baseUrlOf(request, publicEndpoint)}${PREFIX}`;
  return [
    { rel: 'self', href: `${base}/${version}${project}/${path}` },
    { rel: 'bookmark', href: `${base}${project}/${path}` },
  ];
}

/**
 * `{flavors_links: [...]}` to add to a list: a full page links to the next one.
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
  const { version, project } = placeOf(request);
  const url = `${baseUrlOf(request, publicEndpoint)}${PREFIX}/${version}${project}/${list.path}`;
  const href = nextPageUrl(url, request.query, { limit, count: ids.length, last: ids.at(-1) });
  if (href === undefined) return {};
  return { [`${list.key}_links`]: [{ rel: 'next', href }] };
}

function placeOf(request: FastifyRequest): { version: string; project: string } {
  const { version, projectId } = pathOf(request);
  return { version, project: projectId === null ? '' : `/${projectId}` };
}
