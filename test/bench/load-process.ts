/**
 * The load generator, in its own process so that its CPU time is not counted as the server's. It runs one job of its
 * parent at a time: each connection sends one request after the other, until the time is up or the list has ended.
 */
import { type Dispatcher, Pool } from 'undici';

export interface LoadRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** Sent as JSON; `%n` in it becomes the number of the request. */
  readonly body?: string;
}

export interface LoadJob {
  readonly baseUrl: string;
  readonly requests: readonly LoadRequest[];
  /** Starts again with the first request after the last. */
  readonly repeat: boolean;
  readonly connections: number;
  readonly limitMs: number;
  /** Returns the bodies of the answers. */
  readonly collect?: boolean;
}

export interface LoadResult {
  readonly sent: number;
  /** Answered with 2xx. */
  readonly served: number;
  /** From the first request to the last answer. */
  readonly ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of other answers than 2xx, by status or reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly bodies: readonly string[];
}

/** Newest version that Debian's Ironic supports. */
const HEADERS = { 'x-openstack-ironic-api-version': '1.82' };
const WITH_BODY = { ...HEADERS, 'content-type': 'application/json' };
const TIMEOUT_MS = 120_000;

let serial = 0;

async function run(job: LoadJob): Promise<LoadResult> {
  const pool = new Pool(job.baseUrl, {
    ...{ connections: job.connections, pipelining: 1 },
    ...{ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS },
  });
  const latencies: number[] = [];
  const bodies: string[] = [];
  const refused: Record<string, number> = {};
  let next = 0;
  const began = performance.now();
  const end = began + job.limitMs;

  async function connection(): Promise<void> {
    while (performance.now() < end && (job.repeat || next < job.requests.length)) {
      const request = job.requests[next++ % job.requests.length] as LoadRequest;
      const sentAt = performance.now();
      const { outcome, body } = await send(pool, request, job.collect === true);
      latencies.push(performance.now() - sentAt);
      if (body !== '') bodies.push(body);
      if (outcome !== 'fine') refused[outcome] = (refused[outcome] ?? 0) + 1;
    }
  }

  await Promise.all(Array.from({ length: job.connections }, connection));
  const ms = performance.now() - began;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.ceil(latencies.length * q) - 1] ?? Number.NaN;
  const sent = latencies.length;
  const served = Object.values(refused).reduce((left, count) => left - count, sent);
  return { sent, served, ms, p50Ms: quantile(0.5), p99Ms: quantile(0.99), refused, bodies };
}

function send(
  pool: Pool,
  { method, path, body }: LoadRequest,
  collect: boolean,
): Promise<{ outcome: string; body: string }> {
  return new Promise((resolve) => {
    let status = 0;
    const parts: Buffer[] = [];
    serial += 1;
    pool.dispatch(
      body === undefined
        ? { method, path, headers: HEADERS }
        : { method, path, headers: WITH_BODY, body: body.replace('%n', String(serial)) },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => {
          status = code;
        },
        onResponseData: (_, chunk) => {
          if (collect) parts.push(chunk);
        },
        onResponseEnd: () =>
          resolve({
            outcome: status >= 200 && status < 300 ? 'fine' : String(status),
            body: Buffer.concat(parts).toString(),
          }),
        onResponseError: (_, error) => resolve({ outcome: error.message, body: '' }),
      },
    );
  });
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
