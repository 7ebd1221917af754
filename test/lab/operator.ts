/**
 * An operator with an HTTP client: enrolls a machine, and prints the timeline while it waits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface TimelineStep {
  readonly interface: string;
  readonly step: string;
  readonly state: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly progress: {
    readonly phase: string;
    readonly bytes_done: number;
    readonly bytes_total: number | null;
    readonly bytes_per_second: number | null;
  } | null;
}

export interface Timeline {
  readonly node: {
    readonly provision_state: string;
    readonly power_state: string | null;
    readonly last_error: string | null;
  };
  readonly operations: readonly {
    readonly id: number;
    readonly kind: string;
    readonly state: string;
    readonly started_at: string;
    readonly finished_at: string | null;
    readonly error: string | null;
    readonly waiting_for: string | null;
    readonly steps: readonly TimelineStep[];
  }[];
  readonly sightings: readonly {
    readonly kind: string;
    readonly at: string;
    readonly bytes: number | null;
    readonly detail: string | null;
  }[];
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onTimeline?: (timeline: Timeline) => void;
}

export interface Operator {
  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }>;
  /** Enrolls a machine and its port; returns the node's UUID. */
  enroll(node: {
    name: string;
    driver: string;
    driverInfo: Record<string, unknown>;
    mac: string;
    properties?: object;
  }): Promise<string>;
  provision(node: string, target: string, more?: Record<string, unknown>): Promise<void>;
  patch(node: string, values: Record<string, unknown>): Promise<void>;
  /** Waits until the timeline satisfies the condition. */
  waitFor(node: string, asked: (timeline: Timeline) => boolean, options: WaitOptions): Promise<Timeline>;
  /** Waits for a provision state. Throws with last_error if the node fails. */
  waitForState(node: string, state: string, options: WaitOptions): Promise<Timeline>;
  timeline(node: string): Promise<Timeline>;
}

const VERSION = '1.81';
const POLL_MS = 500;

/** Calls the conductor's API through a unix socket. */
export function createOperator(socketPath: string): Operator {
  const dispatcher = new Agent({ connect: { socketPath } });

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> {
    const response = await request(`http://127.0.0.1${path}`, {
      dispatcher,
      method,
      headers: {
        'x-openstack-ironic-api-version': VERSION,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: 60_000,
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: text === '' ? null : JSON.parse(text) };
  }

  /** A call that must succeed. */
  async function must(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const answer = await call(method, path, body);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  const timeline = async (node: string): Promise<Timeline> =>
    (await must('GET', `/ingot/v1/nodes/${node}/timeline`)) as Timeline;

  const waitFor: Operator['waitFor'] = async (node, asked, { timeoutMs, signal, onTimeline }) => {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const now = await timeline(node);
      onTimeline?.(now);
      if (asked(now)) return now;
      if (Date.now() > deadline) {
        const { provision_state: is, last_error: error } = now.node;
        throw new Error(`node is still ${is} after ${timeoutMs / 1000} s; last_error: ${error}`);
      }
      await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
  };

  return {
    call,
    timeline,
    waitFor,
    async enroll({ name, driver, driverInfo, mac, properties = {} }) {
      const node = (await must('POST', '/v1/nodes', {
        name,
        driver,
        driver_info: driverInfo,
        properties,
      })) as { uuid: string };
      await must('POST', '/v1/ports', { node_uuid: node.uuid, address: mac });
      return node.uuid;
    },
    async provision(node, target, more = {}) {
      await must('PUT', `/v1/nodes/${node}/states/provision`, { target, ...more });
    },
    async patch(node, values) {
      const patch = Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));
      await must('PATCH', `/v1/nodes/${node}`, patch);
    },
    async waitForState(node, state, options) {
      const ended = await waitFor(node, (now) => settledIn(state)(now) || hasFailed(now), options);
      const { provision_state: is, last_error: error } = ended.node;
      if (is !== state) throw new Error(`node is ${is}, not ${state}: ${error}`);
      return ended;
    },
  };
}

export const settledIn =
  (...states: readonly string[]) =>
  ({ node }: Timeline): boolean =>
    states.includes(node.provision_state);

const hasFailed = ({ node: { provision_state: is, last_error: error } }: Timeline): boolean =>
  / failed$|^error$/.test(is) || (is === 'enroll' && error !== null);
