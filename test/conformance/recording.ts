/**
 * Recordings: real Ironic's normalised answers to each request of a group. They are for developers of the resource, and
 * show whether the Ironic under test still answers the same.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Answer } from './answer.ts';
import type { ConformanceRequest, RequestGroup } from './request.ts';

interface RecordedExchange {
  readonly title: string;
  /** `PUT /v1/nodes/{node}/maintenance 1.82`. */
  readonly request: string;
  readonly body?: unknown;
  readonly answer: Answer;
}

const pathOf = (name: string): string => fileURLToPath(new URL(`./recorded/${name}.json`, import.meta.url));

const versionOf = ({ v }: ConformanceRequest): string =>
  v === undefined ? '' : v === null ? ' without version' : ` ${typeof v === 'number' ? `1.${v}` : v}`;

export function exchangesOf(group: RequestGroup, answers: ReadonlyMap<string, Answer>): RecordedExchange[] {
  return group.requests.map((request) => ({
    title: request.title,
    request: `${request.method} ${request.path}${versionOf(request)}`,
    ...(request.body === undefined ? {} : { body: request.body }),
    answer: withoutUsualHeaders(answers.get(request.title)!),
  }));
}

/** Headers that nearly every answer has. Only exceptions are recorded; a missing one is recorded as empty. */
const usualHeaders = ({ body, error }: Answer): Readonly<Record<string, string>> => ({
  ...(body === undefined && error === undefined ? {} : { 'content-type': 'application/json' }),
  'openstack-request-id': '<request-id>',
  'x-openstack-ironic-api-minimum-version': '1.1',
  'x-openstack-ironic-api-maximum-version': '1.82',
});

function withoutUsualHeaders(answer: Answer): Answer {
  const usual = usualHeaders(answer);
  const missing = Object.keys(usual).filter((name) => answer.headers[name] === undefined);
  const unusual = Object.entries(answer.headers).filter(([name, value]) => usual[name] !== value);
  return {
    ...answer,
    headers: Object.fromEntries([...unusual, ...missing.map((name): [string, string] => [name, ''])]),
  };
}

/** The answer as it was before recording. */
export function withUsualHeaders(answer: Answer): Answer {
  const headers = Object.entries({ ...usualHeaders(answer), ...answer.headers });
  return { ...answer, headers: Object.fromEntries(headers.filter(([, value]) => value !== '')) };
}

export async function writeRecording(
  group: RequestGroup,
  answers: ReadonlyMap<string, Answer>,
): Promise<void> {
  const exchanges = exchangesOf(group, answers).map((exchange) => JSON.stringify(exchange));
  await writeFile(pathOf(group.name), `[\n${exchanges.join(',\n')}\n]\n`);
}

export async function readRecording(name: string): Promise<RecordedExchange[]> {
  return JSON.parse(await readFile(pathOf(name), 'utf8')) as RecordedExchange[];
}
