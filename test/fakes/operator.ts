/**
 * An operator at the API: enrolls nodes, brings them into a state, reads them, sends requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from './api-client.ts';

export interface Fixture {
  readonly driver?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Creates a port for it. */
  readonly port?: boolean;
  /** Verbs to send first; each is awaited. */
  readonly verbs?: readonly ('manage' | 'provide')[];
}

export interface Made {
  readonly node: string;
  /** MAC address of its port, if it has one. */
  readonly mac: string;
}

/** A request for a node that is created later. */
export type Ask = (made: Made) => readonly [method: string, path: string, body: unknown];

export const patch =
  (path: string, value: unknown): Ask =>
  ({ node }) => ['PATCH', `/v1/nodes/${node}`, [{ op: 'add', path, value }]];
export const provision =
  (body: object): Ask =>
  ({ node }) => ['PUT', `/v1/nodes/${node}/states/provision`, body];
export const power =
  (target: string): Ask =>
  ({ node }) => ['PUT', `/v1/nodes/${node}/states/power`, { target }];
export const enroll =
  (body: object): Ask =>
  () => ['POST', '/v1/nodes', body];
export const addPort =
  (body: object): Ask =>
  ({ node }) => ['POST', '/v1/ports', { node_uuid: node, ...body }];

const ENDS = { manage: 'manageable', provide: 'available' } as const;
const LIMIT_MS = 10_000;

export interface Operator {
  make(fixture: Fixture): Promise<Made>;
  ask(made: Made, ...asks: readonly Ask[]): Promise<Answer>;
  /** The node and its ports as the API shows them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  seen(made: Made): Promise<{ node: any; ports: unknown }>;
  /** Waits until the node is in `state` and not locked; throws with its last_error. */
  reach(made: Made, state: string): Promise<void>;
}

export function createOperator(call: Call): Operator {
  let serial = 0;

  async function well(...[method, path, body]: ReturnType<Ask>): Promise<Answer> {
    const answer = await call(method, path, body);
    if (answer.error !== '') throw new Error(`${method} ${path}: ${answer.error}`);
    return answer;
  }

  async function reach({ node }: Made, state: string): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const { body } = await call('GET', `/v1/nodes/${node}`);
      if (body.provision_state === state && body.reservation === null) return;
      if (Date.now() > deadline)
        throw new Error(`node is ${body.provision_state}, not ${state}; last_error: ${body.last_error}`);
      await sleep(5);
    }
  }

  return {
    async make({ driver = 'fake-hardware', fields = {}, port = false, verbs = [] }) {
      const { body } = await well('POST', '/v1/nodes', { driver, ...fields });
      serial += 1;
      const made = { node: body.uuid, mac: `52:54:00:00:00:${serial.toString(16).padStart(2, '0')}` };
      if (port) await well(...addPort({ address: made.mac })(made));
      for (const verb of verbs) {
        await well(...provision({ target: verb })(made));
        await reach(made, ENDS[verb]);
      }
      return made;
    },
    async ask(made, ...asks) {
      let answer: Answer | undefined;
      for (const one of asks) answer = await well(...one(made));
      return answer!;
    },
    async seen({ node }) {
      const shown = await call('GET', `/v1/nodes/${node}`);
      const ports = await call('GET', `/v1/nodes/${node}/ports?detail=true`);
      return { node: shown.body, ports: ports.body.ports };
    },
    reach,
  };
}
