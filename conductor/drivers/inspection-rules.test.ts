import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { InspectionRule } from '../domain/inspection-rules/rule.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node, Port } from '../domain/node.ts';
import { runInspectionRules } from './inspection-rules.ts';

let server: Server;
let url: string;
const asked: string[] = [];
/** Statuses of the next answers of the HTTP server. */
const answers: number[] = [];
const BREAKS_OFF = -1;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-from']}`);
    const status = answers.shift() ?? 200;
    if (status === BREAKS_OFF) request.socket.destroy();
    else response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

interface Wanted {
  readonly traits?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Returns the effects in the order in which they ended. Effects that are not awaited are missing. */
async function run(actions: readonly JsonObject[], { traits = [], signal }: Wanted = {}) {
  const done: unknown[] = [];
  const ended = async (what: unknown): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(what);
  };
  const node = { uuid: 'n', name: 'one', traits, extra: {}, properties: {} } as unknown as Node;
  const port = { uuid: 'p', address: '52:54:00:00:00:01', extra: {}, pxeEnabled: true } as unknown as Port;
  const context = {
    node,
    signal: signal ?? new AbortController().signal,
    updateNode: (patch: object) => ended(patch),
  } as unknown as StepContext;
  const rule = { uuid: 'r', description: null, priority: 0, sensitive: false, conditions: [], actions };
  const store = {
    inspectionRules: async () => [rule as unknown as InspectionRule],
    portsOf: async () => [port],
    changePort: (uuid: string, patch: object) => ended([uuid, patch]),
    keepInventory: (_: string, inventory: object) => ended(inventory),
    log: (...line: unknown[]) => void done.push(line),
  };
  const ran = runInspectionRules(
    context,
    { store, outbound: loopbackOutbound },
    { inventory: { a: 1 }, pluginData: {} },
  );
  return { done, error: await ran.then(() => '', String) };
}

it('changes the node, its ports and the stored data, and writes to the log', async () => {
  const { done, error } = await run([
    { op: 'set-attribute', args: { path: 'resource_class', value: 'gold' } },
    { op: 'add-trait', args: { name: 'CUSTOM_A' } },
    { op: 'set-port-attribute', args: { port_id: 'p', path: 'pxe_enabled', value: 'no' } },
    { op: 'set-plugin-data', args: { path: 'seen', value: '{inventory[a]}' } },
    { op: 'log', args: { msg: 'hello' } },
  ]);
  expect(error).toBe('');
  expect(done).toEqual([
    { resourceClass: 'gold', traits: ['CUSTOM_A'] },
    ['p', { pxeEnabled: false }],
    { inventory: { a: 1 }, pluginData: { seen: '1' } },
    ['n', 'info', 'hello'],
  ]);
});

it('calls an API, and repeats the call while the server is busy', async () => {
  answers.push(503, 429);
  const call = { url: `${url}/found/{node.name}`, headers: { 'x-from': 'rules' }, backoff_factor: 0 };
  expect((await run([{ op: 'api-call', args: call }])).error).toBe('');
  expect(asked.splice(0)).toEqual(Array(3).fill('GET /found/one rules'));
  answers.push(BREAKS_OFF);
  expect((await run([{ op: 'api-call', args: call }])).error).toBe('');
  expect(asked.splice(0)).toHaveLength(2);
  answers.push(404);
  expect((await run([{ op: 'api-call', args: call }])).error).toContain('it answered 404');
  answers.push(500, 500);
  expect((await run([{ op: 'api-call', args: { ...call, retries: 1 } }])).error).toContain('it answered 500');
  expect(asked.splice(0)).toHaveLength(3);
});

it.each<[string, JsonObject]>([
  [
    'resource_class, which must be a string',
    { op: 'set-attribute', args: { path: 'resource_class', value: 7 } },
  ],
  ['which is no trait', { op: 'add-trait', args: { name: 'x' } }],
  ['no http or https URL', { op: 'api-call', args: { url: 'file:///etc/passwd' } }],
  ['no http or https URL', { op: 'api-call', args: { url: 'http://u:p@127.0.0.1/' } }],
  ['no http or https URL', { op: 'api-call', args: { url: 'http://u@127.0.0.1/' } }],
  ['no http or https URL', { op: 'api-call', args: { url: 'http://:p@127.0.0.1/' } }],
  ['no http or https URL', { op: 'api-call', args: { url: 'nowhere' } }],
  ['too small', { op: 'fail', args: { msg: 'too small' } }],
])('fails inspection: %s', async (text, action) => {
  const { error } = await run([action]);
  expect(error).toContain(text);
  expect(error).not.toContain('u:p');
});

it.each<[string, JsonObject]>([
  ['a log line', { op: 'log', args: { msg: 'hello' } }],
  ['what is so already', { op: 'set-attribute', args: { path: 'name', value: 'one' } }],
  ['a trait that the node has', { op: 'add-trait', args: { name: 'CUSTOM_A' } }],
  [
    'a port that is so already',
    { op: 'set-port-attribute', args: { port_id: 'p', path: 'pxe_enabled', value: true } },
  ],
])('writes nothing for %s', async (_, action) => {
  const { done, error } = await run([action], { traits: ['CUSTOM_A'] });
  expect(error).toBe('');
  expect(done.filter((one) => !(Array.isArray(one) && one.at(-1) === 'hello'))).toEqual([]);
});

it('accepts a trait that the node already has', async () => {
  const { done, error } = await run([{ op: 'add-trait', args: { name: 'CUSTOM_A' } }], {
    traits: ['old one'],
  });
  expect([done, error]).toEqual([[{ traits: ['old one', 'CUSTOM_A'] }], '']);
});

it('keeps changes from before a rule failed', async () => {
  const { done, error } = await run([
    { op: 'set-attribute', args: { path: 'resource_class', value: 'gold' } },
    { op: 'log', args: { msg: 'seen' } },
    { op: 'fail', args: { msg: 'too small' } },
  ]);
  expect(error).toContain('too small');
  expect(done).toEqual([{ resourceClass: 'gold' }, ['n', 'info', 'seen']]);
});

it('repeats a call without an answer, and stops when the signal aborts', async () => {
  const dead = createServer();
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const { port } = dead.address() as AddressInfo;
  await new Promise((resolve) => dead.close(resolve));
  const call = { url: `http://127.0.0.1:${port}/`, backoff_factor: 0, retries: 1 };
  const { error } = await run([{ op: 'api-call', args: call }]);
  expect(error).toContain(`the call of an inspection rule to 127.0.0.1:${port} failed`);
  const aborted = AbortSignal.abort(new Error('shut down'));
  expect((await run([{ op: 'api-call', args: call }], { signal: aborted })).error).toBe('Error: shut down');
});
