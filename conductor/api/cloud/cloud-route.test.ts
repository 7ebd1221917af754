import { describe, expect, it } from 'vitest';
import { integer, object, optional, since } from '../kit/readers.ts';
import { described, schemasOf } from './cloud-route.ts';

describe('the description of a route', () => {
  it('contains only what is declared', () => {
    expect(described('public', 'Show it')).toEqual({
      config: { access: 'public', doc: { summary: 'Show it' } },
    });
  });

  it('contains versions and access for the server, and the rest for the document', () => {
    const { config } = described('admin', 'Make it', {
      since: 5,
      until: 9,
      streamsBody: true,
      status: 201,
      contentType: 'text/plain',
      answer: { type: 'string' },
    });
    const doc = { summary: 'Make it', status: 201, contentType: 'text/plain', answer: { type: 'string' } };
    expect(config).toEqual({ access: 'admin', since: 5, until: 9, streamsBody: true, doc });
  });

  it('contains the schemas of the readers of body and arguments', () => {
    const { config } = described('member', 'Make it', {
      body: object({ size: integer(1, 9) }),
      query: { limit: integer(0, 3), name: { type: 'string' } },
    });
    expect(config.doc?.body).toMatchObject({ required: ['size'], properties: { size: { minimum: 1 } } });
    expect(config.doc?.parameters).toEqual({ limit: integer(0, 3).schema, name: { type: 'string' } });
    expect(schemasOf({ young: since(7, optional(integer())) })['young']).toMatchObject({ 'x-since': 7 });
  });

  it.each([
    [{ item: 'rack' }, { rack: { type: 'object' } }],
    [{ list: 'racks' }, { racks: { type: 'array', items: { type: 'object' } } }],
  ])('%j: the answer has one key', (details, properties) => {
    const { answer } = described('reader', 'Show', details).config.doc ?? {};
    expect(answer).toEqual({ type: 'object', properties, required: Object.keys(properties) });
  });
});
