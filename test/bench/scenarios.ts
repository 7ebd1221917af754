/**
 * The requests that both servers get, one row per figure. Each window of a figure begins with `prepare`, which puts
 * the nodes into a state in which the requests can be answered.
 */
import { randomUUID } from 'node:crypto';
import { type Fleet, forgetAgents, newNode, rest } from './fleet.ts';
import type { LoadRequest, LoadResult } from './load-process.ts';
import type { Subject } from './subject.ts';

/** One server with its nodes, and data from earlier figures for later ones. */
export interface Side {
  readonly subject: Subject;
  fleet: Fleet;
  /** Nodes that `create` created, for `delete`. */
  created: string[];
  /** Node -> token of its agent. */
  readonly tokens: Map<string, string>;
}

export interface Scenario {
  readonly name: string;
  /** The requests may be sent repeatedly; otherwise a window ends with the list. */
  readonly repeat: boolean;
  readonly collect?: boolean;
  prepare?(side: Side): void;
  requests(side: Side): LoadRequest[];
  /** Stores data of this window for later figures. */
  after?(side: Side, result: LoadResult, requests: readonly LoadRequest[]): void;
}

const CREATES_PER_WINDOW = { ours: 2_000, ironic: 200 } as const;
/** Number of agents. Ironic would need minutes for the lookups of a thousand. */
const AGENTS = { ours: 1_000, ironic: 150 } as const;
const CALLBACK_URL = 'http://192.0.2.7:9999';

const get = (path: string): LoadRequest => ({ method: 'GET', path });
const list = (name: string, path: string): Scenario => ({ name, repeat: true, requests: () => [get(path)] });
const agents = ({ subject, fleet }: Side): number[] =>
  Array.from({ length: Math.min(AGENTS[subject.name], fleet.uuids.length) }, (_, index) => index);

/** The agents' lookups by MAC address, each node once. */
const lookups = (side: Side): LoadRequest[] =>
  agents(side).map((index) => get(`/v1/lookup?addresses=${side.fleet.macs[index]}`));

/** A state in which a heartbeat is stored and causes no other work. */
const AWAITED = 'cleaning';

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create',
    repeat: false,
    requests: ({ subject: { name } }) =>
      Array.from({ length: CREATES_PER_WINDOW[name] }, () => ({
        method: 'POST',
        path: '/v1/nodes',
        body: JSON.stringify({ uuid: randomUUID(), ...newNode('direct') }),
      })),
    after: (side, { sent }, requests) => {
      for (const { body } of requests.slice(0, sent)) side.created.push(JSON.parse(body!).uuid);
    },
  },
  {
    name: 'delete',
    repeat: false,
    requests: ({ created, subject: { name } }) =>
      created
        .slice(0, CREATES_PER_WINDOW[name])
        .map((uuid) => ({ method: 'DELETE', path: `/v1/nodes/${uuid}` })),
    after: (side, { sent }) => void side.created.splice(0, sent),
  },
  {
    name: 'get',
    repeat: true,
    requests: ({ fleet }) => fleet.uuids.map((uuid) => get(`/v1/nodes/${uuid}`)),
  },
  list('list of 100', '/v1/nodes?limit=100'),
  list('list of 1,000', '/v1/nodes?limit=1000'),
  list('detail of 100', '/v1/nodes/detail?limit=100'),
  list('detail of 1,000', '/v1/nodes/detail?limit=1000'),
  {
    name: 'patch',
    repeat: true,
    prepare: ({ subject }) => rest(subject, 'available'),
    requests: ({ fleet }) =>
      fleet.uuids.map((uuid) => ({
        method: 'PATCH',
        path: `/v1/nodes/${uuid}`,
        body: '[{"op":"replace","path":"/extra/slot","value":%n}]',
      })),
  },
  {
    name: 'lookup, first of a boot',
    repeat: false,
    collect: true,
    prepare: (side) => {
      rest(side.subject, AWAITED);
      forgetAgents(side.subject);
      side.tokens.clear();
    },
    requests: lookups,
    after: (side, { bodies }) => {
      for (const body of bodies) {
        const { node, config } = JSON.parse(body);
        if (config !== undefined) side.tokens.set(node.uuid, config.agent_token);
      }
    },
  },
  { name: 'lookup, again', repeat: true, requests: lookups },
  {
    name: 'heartbeat',
    repeat: true,
    requests: ({ tokens }) =>
      [...tokens].map(([uuid, token]) => ({
        method: 'POST',
        path: `/v1/heartbeat/${uuid}`,
        body: JSON.stringify({ callback_url: CALLBACK_URL, agent_token: token, agent_version: '9.4.0' }),
      })),
  },
  {
    name: 'power',
    repeat: true,
    prepare: ({ subject }) => rest(subject, 'available'),
    requests: ({ fleet }) =>
      ['power on', 'power off'].flatMap((target) =>
        fleet.uuids.map((uuid) => ({
          method: 'PUT',
          path: `/v1/nodes/${uuid}/states/power`,
          body: JSON.stringify({ target }),
        })),
      ),
  },
  {
    name: 'provision (manage)',
    repeat: false,
    prepare: ({ subject }) => rest(subject, 'available'),
    requests: ({ fleet }) =>
      fleet.uuids.map((uuid) => ({
        method: 'PUT',
        path: `/v1/nodes/${uuid}/states/provision`,
        body: '{"target":"manage"}',
      })),
  },
];
