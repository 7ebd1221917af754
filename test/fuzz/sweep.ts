/**
 * Every hostile value at every place of an operation: each parameter of its path, each argument of its query, and
 * each field of its body, known fields and those inside of them. Everything else is valid.
 */

import type { OpenApiDocument } from '@ingot/conductor/api/kit/openapi.ts';
import type { JsonSchema } from '@ingot/conductor/api/kit/route-doc.ts';
import { MAX_MINOR } from '@ingot/shared/ironic/versions.ts';
import type { Request } from './arbitraries.ts';
import { EXAMPLES } from './examples.ts';
import { HOSTILE_PARTS, HOSTILE_VALUES } from './hostile-values.ts';
import { changed, placesIn } from './mutation.ts';
import { type Operation, resolved } from './operations.ts';

export function sweep(
  document: OpenApiDocument,
  operation: Operation,
  fill: (path: string) => string,
): Request[] {
  const url = fill(operation.path);
  const [body] = goodBodies(operation);
  const parameters = [...operation.path.matchAll(/\{\w+\}/g)].map(([name]) => name);
  const paths = parameters.flatMap((name) =>
    HOSTILE_PARTS.map((part) => ({
      url: fill(operation.path.replace(name, () => part)),
      body,
      isAimed: false,
    })),
  );
  const queries = [...operation.query.keys()].flatMap((name) =>
    HOSTILE_PARTS.map((part) => ({ url: `${url}?${name}=${part}`, body, isAimed: true })),
  );
  const bodies = hostileBodies(document, operation).map((one) => ({ url, body: one, isAimed: true }));
  return [...paths, ...queries, ...bodies].map((request) => ({ ...request, minor: MAX_MINOR }));
}

const goodBodies = ({ method, path, body }: Operation): readonly unknown[] =>
  body === null ? [] : (EXAMPLES[`${method} ${path}`] ?? [method === 'PATCH' ? [] : {}]);

function hostileBodies(document: OpenApiDocument, operation: Operation): unknown[] {
  if (operation.body === null) return [];
  const schema = resolved(document, operation.body.schema);
  if (operation.method === 'PATCH') return hostilePatches(document, operation.body.schema);
  const names = Object.keys((schema['properties'] as object | undefined) ?? {});
  return goodBodies(operation).flatMap((good) => {
    const places = [...placesIn(good), ...names.map((name) => [name])];
    const unique = new Map(places.map((place) => [place.join('/'), place]));
    return [...unique.values()].flatMap((place) =>
      HOSTILE_VALUES.map((value) => changed(good, place, 'replace', value, '')),
    );
  });
}

function hostilePatches(document: OpenApiDocument, schema: JsonSchema): unknown[] {
  const create = { $ref: String(schema['$ref']).replace(/Patch$/, 'Create') };
  const names = Object.keys((resolved(document, create)['properties'] as object | undefined) ?? {});
  return HOSTILE_VALUES.flatMap((value) => [
    ...names.map((name) => [{ op: 'add', path: `/${name}`, value }]),
    [{ op: 'add', path: '/extra/a', value }],
    [{ op: 'add', path: `/extra/${String(value)}`, value: 1 }],
    [{ op: 'replace', path: value, value: 1 }],
    [{ op: value, path: '/extra', value: {} }],
    [{ op: 'remove', path: `/${String(value)}` }],
  ]);
}
