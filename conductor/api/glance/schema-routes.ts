/**
 * JSON Schemas of the answers of the image API, for clients that build their objects from them. Derived from the
 * table of fields.
 */

import type { JsonObject } from '../../domain/json.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { imageSchema } from './image-fields.ts';
import { memberSchema } from './member-fields.ts';

const { type: _, ...shown } = imageSchema;

const image = (): JsonObject => ({
  name: 'image',
  ...(shown as unknown as JsonObject),
  links: [
    { rel: 'self', href: '{self}' },
    { rel: 'enclosure', href: '{file}' },
    { rel: 'describedby', href: '{schema}' },
  ],
});

const member = (): JsonObject => ({ name: 'member', properties: memberSchema.properties });

function listOf(name: string, item: JsonObject): JsonObject {
  const texts = Object.fromEntries(['schema', 'first', 'next'].map((key) => [key, { type: 'string' }]));
  return {
    name,
    properties: { [name]: { type: 'array', items: item }, ...texts },
    links: [
      { rel: 'first', href: '{first}' },
      { rel: 'next', href: '{next}' },
      { rel: 'describedby', href: '{schema}' },
    ],
  };
}

export function registerSchemas(app: App): void {
  const documents: Readonly<Record<string, JsonObject>> = {
    image: image(),
    images: listOf('images', image()),
    member: member(),
    members: listOf('members', member()),
  };
  for (const [name, document] of Object.entries(documents))
    app.get(
      `/v2/schemas/${name}`,
      described('reader', `Show the JSON schema of ${name}`, { answer: { type: 'object' } }),
      async () => document,
    );
}
