/**
 * Hostile requests to every operation of the API, generated from its OpenAPI document. A rejected request gets 4xx
 * with Ironic's error body and has changed no node. An accepted request fits the document, and so does its answer.
 *
 * Ten random requests per operation and a part of the sweep; TEST_RUNS (test/random-cases.ts) multiplies the
 * requests, and from TEST_RUNS=12 on the whole sweep runs.
 */

import { apiDocument } from '@ingot/conductor/api/ironic/api.ts';
import type { OpenApiDocument } from '@ingot/conductor/api/kit/openapi.ts';
import { MAX_MINOR } from '@ingot/shared/ironic/versions.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../fakes/api-client.ts';
import { fc, runs, SEED } from '../random-cases.ts';
import { type Request, requestsFor } from './arbitraries.ts';
import { createFuzzApi, type FuzzApi } from './fuzz-api.ts';
import { DEEP, HOSTILE_PARTS, MALFORMED } from './hostile-values.ts';
import { type Operation, operationsOf } from './operations.ts';
import { sweep } from './sweep.ts';

const RUNS = runs(10);
/** Only every 53rd request of the sweep is sent. A prime number, so that every place and every value is used. */
const STRIDE = RUNS >= 120 ? 1 : 53;
const inTurn = (_: unknown, index: number): boolean => index % STRIDE === SEED % STRIDE;
const RUN_LIMIT_MS = 30_000 + RUNS * 500;

const document = JSON.parse(apiDocument()) as OpenApiDocument;
const OPERATIONS = operationsOf(document);
const TAGS = Map.groupBy(OPERATIONS, ({ tag }) => tag);
const rows = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.method, operation.path, operation] as const);

let target: FuzzApi;
/** All nodes after the last request. */
let before: string;
const start = async (): Promise<void> => {
  target = await createFuzzApi();
  before = await target.settled();
};
const stop = (): Promise<void> => Promise.resolve(target[Symbol.asyncDispose]());

/** Sends a request and checks what must be true of every answer. */
async function send({ method }: Operation, url: string, body?: unknown, minor = MAX_MINOR): Promise<Answer> {
  const answer = await target.call(method, url, body, { minor });
  const sent = `${method} ${url} ${String(body).slice(0, 500)}`;
  expect(answer.status, sent).toBeLessThan(500);
  expect(answer.headers['openstack-request-id']).toMatch(/^req-/);
  if (answer.status >= 400) {
    const inner: unknown = JSON.parse(answer.body.error_message);
    expect(
      Object.keys(inner as object)
        .toSorted()
        .join(),
    ).toMatch(/^(debuginfo,faultcode,faultstring|code,description,title)$/);
    expect(answer.error).not.toBe('');
    expect(await target.nodes(), sent).toBe(before);
  } else if (method !== 'GET') {
    if (method === 'POST' || method === 'DELETE') await target.restore();
    before = await target.settled();
  }
  return answer;
}

const isRefused = ({ status }: Answer): void => {
  expect(status).toBeGreaterThanOrEqual(400);
};

it('covers the API', () => {
  expect(OPERATIONS.length).toBeGreaterThan(100);
  expect(OPERATIONS.filter(({ body }) => body !== null).length).toBeGreaterThan(40);
});

describe('every operation rejects', () => {
  beforeAll(start);
  afterAll(stop);

  it.each(rows(OPERATIONS.filter(({ body }) => body !== null)))(
    '%s %s: bodies that are not JSON, too deep or too large',
    async (_, path, operation) => {
      const url = target.fill(path);
      for (const body of [...MALFORMED, ...DEEP]) isRefused(await send(operation, url, body));
      const { maxBytes = 0 } = operation.body ?? {};
      const answer = await send(operation, url, `"${'x'.repeat(maxBytes)}"`);
      expect(answer.status).toBe(413);
    },
  );

  const closed = OPERATIONS.filter(({ body }) => body !== null && !body.fits({ unknown: 1 }));
  it.each(rows(closed))('%s %s: bodies of another type', async (_, path, operation) => {
    for (const body of [{ unknown: 1 }, [], 'text', 1, null, true, [null], [{ unknown: 1 }]]) {
      if (!operation.body?.fits(body))
        isRefused(await send(operation, target.fill(path), JSON.stringify(body)));
    }
  });

  const unlimited = new Set(['/', '/v1']);
  const takesAny = (path: string) => unlimited.has(path) || path.endsWith('/vendor_passthru/{method}');
  it.each(rows(OPERATIONS.filter(({ path }) => !takesAny(path))))(
    '%s %s: unknown arguments',
    async (_, path, operation) => {
      for (const name of ['unknown', '__proto__', 'constructor', 'limit%00', "limit'--"]) {
        isRefused(await send(operation, `${target.fill(path)}?${name}=1`));
      }
    },
  );

  // As in Ironic, the list of BIOS settings accepts any field name and shows only those that exist.
  const choosing = OPERATIONS.filter(({ path, query }) => query.has('fields') && !path.endsWith('/bios'));
  it.each(rows(choosing))('%s %s: unknown fields', async (_, path, operation) => {
    for (const name of ['unknown', '__proto__', 'constructor', 'toString', 'name%00', "name'", '*']) {
      isRefused(await send(operation, `${target.fill(path)}?fields=${name}`));
    }
  });

  const paged = OPERATIONS.filter(({ query }) => query.get('marker')?.['format'] === 'uuid');
  it.each(rows(paged))('%s %s: bad markers, limits and sort keys', async (_, path, operation) => {
    const url = target.fill(path);
    for (const part of HOSTILE_PARTS.filter(inTurn))
      isRefused(await send(operation, `${url}?marker=${part}`));
    for (const limit of ['-1', 'x', '1.5', '1e3', '99999999999', '%00', '']) {
      isRefused(await send(operation, `${url}?limit=${limit}`));
    }
    if (!operation.query.has('sort_key')) return;
    for (const key of ['links', 'extra', '__proto__', 'id;--', '%00', 'id,uuid', "id'"]) {
      isRefused(await send(operation, `${url}?sort_key=${key}`));
    }
    isRefused(await send(operation, `${url}?sort_dir=sideways`));
  });
});

describe.each([...TAGS])(`random requests to %s, seed ${SEED}`, (_, operations) => {
  beforeAll(start);
  afterAll(stop);

  async function check(operation: Operation, { url, body, minor, isAimed }: Request): Promise<void> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await send(operation, url, text, minor);
    if (answer.status >= 400 || !isAimed) return;
    if (operation.body !== null) expect(operation.body.fits(JSON.parse(text ?? '{}')), text).toBe(true);
    if (typeof answer.body === 'object') {
      expect(operation.answerFits(answer.body), JSON.stringify(answer.body)).toBe(true);
    }
    expect([String(answer.status), '2XX']).toContain(operation.status);
  }

  it.each(rows(operations))(
    '%s %s: hostile values at every place',
    async (_method, _path, operation) => {
      const all = sweep(document, operation, target.fill);
      for (const request of all.filter(inTurn)) await check(operation, request);
    },
    RUN_LIMIT_MS,
  );

  it.each(rows(operations))(
    '%s %s',
    async (_method, _path, operation) => {
      const requests = requestsFor(document, operation, target.fill);
      await fc.assert(
        fc.asyncProperty(requests, (request) => check(operation, request)),
        { numRuns: RUNS },
      );
    },
    RUN_LIMIT_MS,
  );
});
