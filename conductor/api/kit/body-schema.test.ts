import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { type Static, Type } from './body-schema.ts';

const RACK = Type.Object(
  {
    name: Type.String({ maxLength: 2 }),
    units: Type.Integer({ minimum: 1 }),
    in_use: Type.Optional(Type.Boolean()),
    side: Type.Optional(Type.Union([Type.Enum(['left', 'right']), Type.Null()])),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 1 })),
  },
  { additionalProperties: false },
);
const good: Static<typeof RACK> = { name: 'r1', units: 1 };

const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
app.post('/', { schema: { body: RACK } }, async () => ({}));

it('is plain JSON Schema: what is not optional is required', () => {
  expect(JSON.parse(JSON.stringify(RACK))).toEqual({
    type: 'object',
    required: ['name', 'units'],
    properties: {
      name: { type: 'string', maxLength: 2 },
      units: { type: 'integer', minimum: 1 },
      in_use: { type: 'boolean' },
      side: { anyOf: [{ enum: ['left', 'right'] }, { type: 'null' }] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 1 },
    },
    additionalProperties: false,
  });
});

it.each<[object, number]>([
  [good, 200],
  [{ ...good, in_use: true, side: 'left', tags: ['a'] }, 200],
  [{ ...good, side: null }, 200],
  [{ units: 1 }, 400],
  [{ name: 'r1' }, 400],
  [{ ...good, name: 'r12' }, 400],
  [{ ...good, units: 0 }, 400],
  [{ ...good, units: 1.5 }, 400],
  [{ ...good, in_use: null }, 400],
  [{ ...good, side: 'top' }, 400],
  [{ ...good, tags: [1] }, 400],
  [{ ...good, tags: ['a', 'b'] }, 400],
  [{ ...good, colour: 'red' }, 400],
])('a body %j is answered with %i', async (payload, status) => {
  expect((await app.inject({ method: 'POST', url: '/', payload })).statusCode).toBe(status);
});
