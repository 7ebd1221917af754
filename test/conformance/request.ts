/**
 * A request of the differential test, and short functions to write hundreds of them as tables.
 *
 * Strings may contain {names}: values that `bind` has taken from earlier answers of the same group, so that each server
 * uses its own UUIDs. A group starts on an empty server and does not depend on other groups.
 */

/** Polls after a request until every field of `is` has its value. */
export interface Settling {
  readonly path: string;
  readonly is: Readonly<Record<string, unknown>>;
  /** Fields that are compared after that. */
  readonly show: readonly string[];
}

export interface RequestOptions {
  /** API microversion: 1.N, a header value of its own, or null for no header. */
  readonly v?: number | string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name -> path in the answer's body, such as `uuid` or `history.0.uuid`. */
  readonly bind?: Readonly<Record<string, string>>;
  readonly until?: Settling;
  /** Only these places of a successful body are compared: `mode`, `nodes.0.mode`; with an empty list none. */
  readonly only?: readonly string[];
}

export interface ConformanceRequest extends RequestOptions {
  /** Unique in its group. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface RequestGroup {
  /** The resource; also the name of its recording. */
  readonly name: string;
  readonly requests: readonly ConformanceRequest[];
}

/** Highest microversion of real Ironic 21.4; the default for requests. */
export const ORACLE_MINOR = 82;

const without =
  (method: string) =>
  (title: string, path: string, options: RequestOptions = {}) => ({
    ...{ title, method, path },
    ...options,
  });
const withBody =
  (method: string) =>
  (title: string, path: string, body: unknown, options: RequestOptions = {}): ConformanceRequest => ({
    ...{ title, method, path, body },
    ...options,
  });

export const get = without('GET');
export const del = without('DELETE');
export const post = withBody('POST');
export const put = withBody('PUT');
export const patch = withBody('PATCH');

const NODE_SHOW = [
  ...['provision_state', 'target_provision_state', 'power_state', 'target_power_state', 'last_error'],
  ...['maintenance', 'fault', 'instance_uuid', 'clean_step', 'deploy_step'],
];

/** Until the node is in this state and not locked. */
export const nodeIs = (fields: Readonly<Record<string, unknown>>, node = '{node}'): Settling => ({
  path: `/v1/nodes/${node}`,
  is: { ...fields, reservation: null },
  show: NODE_SHOW,
});

/** A provision request and the state in which it ends. */
export const provision = (
  target: string,
  state: string,
  more: Readonly<Record<string, unknown>> = {},
  when = '',
): ConformanceRequest =>
  put(
    `${target} until ${state}${when === '' ? '' : ` ${when}`}`,
    '/v1/nodes/{node}/states/provision',
    { target, ...more },
    { until: nodeIs({ provision_state: state }) },
  );

/** The power state of a fake node is unknown until it is set. */
export const switchOff: ConformanceRequest = put(
  'switch off',
  '/v1/nodes/{node}/states/power',
  { target: 'power off' },
  { until: nodeIs({ power_state: 'power off' }) },
);

/** A fake-hardware node, bound as {node}. */
export const enroll = (title = 'enroll', fields: Readonly<Record<string, unknown>> = {}, name = 'node') =>
  post(title, '/v1/nodes', { driver: 'fake-hardware', ...fields }, { bind: { [name]: 'uuid' } });

/** The same request at many versions. */
export const atVersions = (
  minors: readonly number[],
  make: (minor: number) => ConformanceRequest,
): ConformanceRequest[] =>
  minors.map((minor) => {
    const request = make(minor);
    return { ...request, title: `${request.title} at 1.${minor}`, v: minor };
  });

/** Add, remove, replace for PATCH bodies. */
export const add = (path: string, value: unknown) => ({ op: 'add', path, value });
export const remove = (path: string) => ({ op: 'remove', path });
export const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
