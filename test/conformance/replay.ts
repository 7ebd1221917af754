/**
 * Sends the requests of a group to one server and collects its normalised answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, isObject, type Json, type JsonObject, normaliseAnswer, uuidsIn } from './answer.ts';
import { type ConformanceRequest, ORACLE_MINOR, type RequestGroup, type Settling } from './request.ts';
import { sweep } from './sweep.ts';

export interface Server {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Without authentication, Ironic reads the caller from these headers; without them, nodes would have no owner. */
export const SYSTEM_ADMIN = { 'x-roles': 'admin', 'openstack-system-scope': 'all' } as const;

const REQUEST_TIMEOUT_MS = 30_000;
const SETTLE_TIMEOUT_MS = 15_000;
const SETTLE_POLL_MS = 50;

/** Title -> answer, in the order of the requests. */
export async function replay(server: Server, group: RequestGroup): Promise<Map<string, Answer>> {
  const values = new Map<string, string>();
  const literal = uuidsIn(JSON.stringify(group.requests));
  const answers = new Map<string, Answer>();
  for (const request of group.requests) {
    if (answers.has(request.title)) throw new Error(`${group.name}: two requests "${request.title}"`);
    const response = await send(server.baseUrl, fill(request, values));
    bindValues(request, response.text, values);
    // The request may have bound a name that `settle` uses.
    const { until } = fill(request, values);
    const settled = until === undefined ? undefined : await settle(server.baseUrl, until);
    const bound = new Map([...values].map(([name, value]) => [value, `{${name}}`]));
    const raw = { ...response, ...(settled === undefined ? {} : { settled }) };
    const answer = normaliseAnswer(raw, { baseUrl: server.baseUrl, bound, literal });
    answers.set(request.title, request.only === undefined ? answer : narrowed(answer, request.only));
  }
  await sweep(server.baseUrl);
  return answers;
}

/** The answer with only these places of its body. */
function narrowed({ body, ...answer }: Answer, places: readonly string[]): Answer {
  if (body === undefined) return answer;
  const found = places.map((place) => [place, valueAt(body, place)] as const);
  const there = found.filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return { ...answer, body: Object.fromEntries(there) };
}

/** Replaces {names} by bound values. A name that was never bound stays, and fails on both servers alike. */
function fill(request: ConformanceRequest, values: ReadonlyMap<string, string>): ConformanceRequest {
  const put = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (whole, name) => values.get(name) ?? whole);
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return put(value);
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]));
  };
  const { body, until } = request;
  return {
    ...request,
    path: put(request.path),
    ...(body === undefined ? {} : { body: walk(body) }),
    ...(until === undefined ? {} : { until: { ...until, path: put(until.path) } }),
  };
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(baseUrl: string, request: ConformanceRequest): Promise<Response> {
  const { method, path, body, v = ORACLE_MINOR, headers = {} } = request;
  const version = typeof v === 'number' ? `1.${v}` : v;
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: {
      accept: 'application/json',
      ...SYSTEM_ADMIN,
      ...(version === null ? {} : { 'x-openstack-ironic-api-version': version }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const valueAt = (body: Json, place: string): Json | undefined =>
  place.split('.').reduce<Json | undefined>((at, key) => (at as JsonObject | undefined)?.[key], body);

function bindValues({ bind = {} }: ConformanceRequest, text: string, values: Map<string, string>): void {
  const places = Object.entries(bind);
  if (places.length === 0) return;
  const body = JSON.parse(text) as Json;
  for (const [name, place] of places) {
    const value = valueAt(body, place);
    if (typeof value === 'string') values.set(name, value);
  }
}

/** The chosen fields once the resource has settled, or at the deadline. */
async function settle(baseUrl: string, { path, is, show }: Settling): Promise<JsonObject> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  while (true) {
    const { text } = await send(baseUrl, { title: 'settling', method: 'GET', path });
    const body = JSON.parse(text) as Json;
    const now: JsonObject = isObject(body) ? body : {};
    const done = Object.entries(is).every(([field, value]) => now[field] === value);
    if (done || Date.now() > deadline) {
      const fields = new Set([...show, ...Object.keys(is)]);
      return Object.fromEntries([...fields].map((field) => [field, now[field] ?? null]));
    }
    await sleep(SETTLE_POLL_MS);
  }
}
