import { describe, expect, it } from 'vitest';
import { type Answer, normaliseAnswer, type RawAnswer } from './answer.ts';
import { compareAnswers, type Difference, describeDifferences, judge } from './compare.ts';
import { exchangesOf, withUsualHeaders } from './recording.ts';

const UUID = '0a8b3c1e-0000-4000-8000-0000000000aa';
const LITERAL = '6a8b3c1e-0000-4000-8000-000000000001';
const NAMES = {
  baseUrl: 'http://127.0.0.1:4711',
  bound: new Map([[UUID, '{node}']]),
  literal: new Set([LITERAL]),
};
const normal = (text: string, more: Partial<RawAnswer> = {}): Answer =>
  normaliseAnswer({ status: 200, headers: new Headers(), text, ...more }, NAMES);
const body = (value: unknown) => normal(JSON.stringify(value)).body;
const answer = (value: unknown, status = 200): Answer => normal(JSON.stringify(value), { status });
const refusal = (inner: unknown, status = 400): Answer =>
  normal(JSON.stringify({ error_message: JSON.stringify(inner) }), { status });
const application = (faultstring: string) => ({ faultcode: 'Client', faultstring, debuginfo: null });
const found = (oracle: Answer, ours: Answer) =>
  compareAnswers('g: r', oracle, ours).map((d) => [d.at, d.oracle, d.ours]);

describe('normalised answers', () => {
  it('replace values of one run by names', () => {
    expect(body({ [UUID]: `http://127.0.0.1:4711/v1/nodes/${UUID}`, b: LITERAL })).toEqual({
      '{node}': '{base}/v1/nodes/{node}',
      b: LITERAL,
    });
    expect(body(['1a8b3c1e-0000-4000-8000-0000000000aa', `req-${UUID}`])).toEqual(['<uuid>', '<request-id>']);
    expect(
      body(['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05.678901', 'on 2026-01-02 03:04:05']),
    ).toEqual(['<time>', '<time>', 'on <time>']);
    expect(
      body({ enabled_boot_interfaces: ['pxe', 'fake'], drivers: [{ name: 'b' }, { name: 'a' }] }),
    ).toEqual({ enabled_boot_interfaces: ['fake', 'pxe'], drivers: [{ name: 'a' }, { name: 'b' }] });
  });

  it('unwrap errors and state their wrapping', () => {
    expect(refusal(application('no'))).toMatchObject({
      error: application('no'),
      wrapping: 'string of JSON',
    });
    expect(answer({ error_message: application('no') }, 400)).toMatchObject({ wrapping: 'object' });
    expect(answer({ error: 'no' }, 400)).toMatchObject({ error: { error: 'no' }, wrapping: 'none' });
    expect(normal('no', { status: 400 })).toMatchObject({ body: 'no', wrapping: 'text' });
    expect(normal('', { status: 204 })).not.toHaveProperty('body');
  });

  it('keep the relevant headers', () => {
    const headers = new Headers({
      'content-type': 'application/json; charset=utf-8',
      location: `http://127.0.0.1:4711/v1/nodes/${UUID}`,
      date: 'today',
    });
    expect(normal('{}', { headers }).headers).toEqual({
      'content-type': 'application/json',
      location: '{base}/v1/nodes/{node}',
    });
  });

  it('are read from a recording unchanged', () => {
    const headers = new Headers({ 'openstack-request-id': `req-${UUID}`, location: '/x' });
    const recorded = normal('{}', { headers });
    const request = { title: 't', method: 'GET', path: '/v1', v: 1 };
    const [exchange] = exchangesOf({ name: 'g', requests: [request] }, new Map([['t', recorded]]));
    expect(exchange?.request).toBe('GET /v1 1.1');
    expect(withUsualHeaders(exchange!.answer)).toEqual(recorded);
  });
});

describe('comparing', () => {
  it('finds missing, additional and different values, and different types', () => {
    expect(found(answer({ a: 1, b: [1, 2], c: null }), answer({ a: '1', b: [1], d: {} }))).toEqual([
      ['body.a', 1, '1'],
      ['body.b.1', 2, undefined],
      ['body.c', null, undefined],
      ['body.d', undefined, {}],
    ]);
    expect(found(answer({ a: { b: 1 } }), answer({ a: { b: 1 } }))).toEqual([]);
  });

  it('accepts different texts, but not a missing one', () => {
    expect(found(refusal(application('no')), refusal(application('because')))).toEqual([]);
    expect(found(answer({ last_error: 'x' }), answer({ last_error: null }))).toHaveLength(1);
    expect(found(answer({ description: 'x' }), answer({ description: 'y' }))).toHaveLength(1);
  });

  it('reports a different status once, with the reasons', () => {
    expect(found(answer({ a: 1 }), refusal(application('no')))).toEqual([['status', 200, '400 no']]);
  });

  it('reports a different form of an error once, and the wrapping', () => {
    const router = { code: 404, title: 'Not Found', description: '' };
    expect(found(refusal(application('no'), 404), refusal(router, 404))).toEqual([
      ['error.shape', 'application', 'router'],
    ]);
    expect(found(refusal(router, 404), answer({ error_message: router }, 404))).toEqual([
      ['wrapping', 'string of JSON', 'object'],
    ]);
  });

  it('compares links to the next page by their meaning', () => {
    const next = (query: string) => answer({ next: `{base}/v1/nodes?${query}` });
    const theirs = next('sort_key=id&sort_dir=asc&fields=uuid,name&limit=1&marker=m');
    expect(found(theirs, next('owner=o&limit=1&marker=m'))).toEqual([]);
    expect(found(theirs, next('limit=2&marker=m'))).toHaveLength(1);
    expect(found(theirs, next('limit=1&marker=m&sort_key=name'))).toHaveLength(1);
  });
});

describe('judging', () => {
  const difference: Difference = { request: 'nodes: show', at: 'body.a', oracle: 1, ours: undefined };
  const entry = { requests: /^nodes/, at: /^body\.a$/, reason: 'r' };

  it('accepts reviewed differences and finds unused entries', () => {
    const idle = { requests: /^ports/, at: /./, reason: 'r' };
    expect(judge([difference], [entry, idle])).toEqual({ unreviewed: [], unused: [idle] });
    expect(judge([difference], [])).toEqual({ unreviewed: [difference], unused: [] });
  });

  it('compares the values when an entry has values', () => {
    expect(judge([difference], [{ ...entry, oracle: /^1$/, ours: /nothing/ }]).unreviewed).toEqual([]);
    expect(judge([difference], [{ ...entry, oracle: /^2$/ }]).unreviewed).toEqual([difference]);
  });

  it('describes by request', () => {
    expect(describeDifferences([difference, { ...difference, at: 'status' }])).toBe(
      'nodes: show\n  body.a: Ironic 1, ours (nothing)\n  status: Ironic 1, ours (nothing)',
    );
  });
});
