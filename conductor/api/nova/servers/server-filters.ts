/**
 * The filters of GET /servers: each argument with its microversions, its audience, and the test that it makes. Nova
 * API reference, "List servers".
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { parsePattern } from '../../../domain/text-pattern.ts';
import type { ServerAddress } from '../../../network-service/server-networks.ts';
import { parseIsoTime } from '../../kit/iso-time.ts';
import { quote } from '../../kit/quote.ts';
import type { JsonSchema } from '../../kit/route-doc.ts';
import { STATUS_NAMES, statusOf } from './server-status.ts';

export interface Asked {
  readonly minor: number;
  readonly isAdmin: boolean;
}

export type ServerTest = (server: Server, addresses: readonly ServerAddress[]) => boolean;

interface Filter {
  readonly since?: number;
  /** Ignored for other callers, as in Nova. */
  readonly isForAdmins?: true;
  /** Reads addresses, which are loaded for it. */
  readonly needsAddresses?: true;
  /**
   * `values`: all values of the argument; the last is used when only one is possible. Throws invalidParameter,
   * forbidden.
   */
  readonly test: (values: readonly string[], asked: Asked, name: string) => ServerTest | Promise<ServerTest>;
}

type Text = (server: Server) => string | null;
type Value = (server: Server) => string | number | null;

const FORBIDDEN =
  /^_|^(block_device_mapping|services|metadata|system_metadata|info_cache|security_groups|pci_devices)$/;

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
const last = (values: readonly string[]): string => values.at(-1) ?? '';
const lower = (text: string): string => text.toLowerCase();

/** Matches a regular expression, or equal text. */
const like = (read: Text, isForAdmins?: true): Filter => ({
  ...(isForAdmins && { isForAdmins }),
  async test(values, _, name) {
    const asked = last(values);
    const matches = await patternOf(asked, name);
    return (server) => {
      const text = read(server);
      return text !== null && (text.includes(asked) || matches(text));
    };
  },
});

/** Matches any of the values. */
const equal = (read: Value, isForAdmins?: true): Filter => ({
  ...(isForAdmins && { isForAdmins }),
  test: (values) => (server) => values.includes(String(read(server))),
});

const flag = (isSo: (server: Server) => boolean, options: Pick<Filter, 'since' | 'isForAdmins'>): Filter => ({
  ...options,
  test(values) {
    const isAsked = isTrue(last(values));
    return (server) => isSo(server) === isAsked;
  },
});

const addressLike = (version: 4 | 6): Filter => ({
  needsAddresses: true,
  async test(values, _, name) {
    const matches = await patternOf(last(values), name);
    return (_server, addresses) =>
      addresses
        .flatMap(({ port }) => port.fixedIps)
        .some(({ ipAddress }) => ipAddress.includes(':') === (version === 6) && matches(ipAddress));
  },
});

const tagged = (isMet: (has: (tag: string) => boolean, tags: readonly string[]) => boolean): Filter => ({
  since: 26,
  test(values) {
    const asked = last(values).split(',');
    return ({ tags }) => isMet((tag) => tags.includes(tag), asked);
  },
});

const changed = (isSo: (changedMs: number, askedMs: number) => boolean): Filter => ({
  test(values, _, name) {
    const askedMs = timeOf(last(values), name);
    return ({ updatedAt, createdAt }) => isSo((updatedAt ?? createdAt).getTime(), askedMs);
  },
});

const name: Filter = like((server) => server.name);
const image: Filter = equal(({ imageUuid }) => imageUuid);
const description: Filter = like((server) => server.description, true);

const FILTERS: Readonly<Record<string, Filter>> = {
  name,
  display_name: { ...name, isForAdmins: true },
  status: { test: statusTest },
  image,
  image_ref: { ...image, isForAdmins: true },
  flavor: equal(({ flavor }) => flavor.uuid),
  ip: addressLike(4),
  ip6: { ...addressLike(6), since: 5 },
  reservation_id: equal(({ reservationId }) => reservationId),
  'changes-since': changed((changedMs, askedMs) => changedMs >= askedMs),
  'changes-before': { ...changed((changedMs, askedMs) => changedMs <= askedMs), since: 66 },
  tags: tagged((has, tags) => tags.every(has)),
  'tags-any': tagged((has, tags) => tags.some(has)),
  'not-tags': tagged((has, tags) => !tags.every(has)),
  'not-tags-any': tagged((has, tags) => !tags.some(has)),
  locked: flag(({ isLocked }) => isLocked, { since: 73 }),
  uuid: equal(({ uuid }) => uuid, true),
  user_id: equal(({ userId }) => userId, true),
  host: equal(({ host }) => host, true),
  node: like(({ nodeUuid }) => nodeUuid, true),
  vm_state: equal(({ vmState }) => vmState, true),
  task_state: equal(({ taskState }) => taskState, true),
  power_state: equal(({ powerState }) => powerState, true),
  launch_index: equal(({ launchIndex }) => launchIndex, true),
  hostname: like(({ hostname }) => hostname, true),
  key_name: like(({ keyName }) => keyName, true),
  availability_zone: like(({ availabilityZone }) => availabilityZone, true),
  access_ip_v4: like(({ accessIpv4 }) => accessIpv4, true),
  access_ip_v6: like(({ accessIpv6 }) => accessIpv6, true),
  description,
  display_description: description,
  config_drive: flag(({ hasConfigDrive }) => hasConfigDrive, { isForAdmins: true }),
};

/** The arguments as schemas, for the OpenAPI document. */
export const FILTER_NAMES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(FILTERS).map(([argument, { since }]) => [
    argument,
    { type: 'string', ...(since === undefined ? {} : { 'x-since': since }) },
  ]),
);

export interface ServerQuery {
  readonly tests: readonly ServerTest[];
  readonly needsAddresses: boolean;
}

/** Throws invalidParameter for invalid values, forbidden for arguments of administrators. */
export async function parseFilters(
  given: ReadonlyMap<string, readonly string[]>,
  asked: Asked,
): Promise<ServerQuery> {
  const chosen = [...given].flatMap(([argument, values]) => {
    if (asked.isAdmin && FORBIDDEN.test(argument)) {
      throw wrong(`Invalid filter field: ${argument.slice(0, 255)}.`);
    }
    const filter = Object.hasOwn(FILTERS, argument) ? FILTERS[argument] : undefined;
    if (filter === undefined || (filter.since ?? 0) > asked.minor) return [];
    if (filter.isForAdmins && !asked.isAdmin) return [];
    return [{ filter, values, argument }];
  });
  checkPeriod(given, asked);
  const tests: ServerTest[] = [];
  // One after the other: after an error no unhandled rejection of another remains.
  for (const { filter, values, argument } of chosen) tests.push(await filter.test(values, asked, argument));
  return {
    tests: [...tests, deletedTest(given, asked)],
    needsAddresses: chosen.some(({ filter }) => filter.needsAddresses),
  };
}

/** Includes deleted servers when changes are requested, or when administrators request them. */
function deletedTest(given: ReadonlyMap<string, readonly string[]>, { isAdmin, minor }: Asked): ServerTest {
  const statuses = given.get('status')?.map(lower) ?? [];
  const deleted = given.get('deleted');
  if (isAdmin && (statuses.includes('deleted') || deleted !== undefined)) {
    const areWanted = deleted === undefined || isTrue(last(deleted));
    return ({ vmState }) => (vmState === 'deleted') === areWanted;
  }
  if (given.has('changes-since') || (minor >= 66 && given.has('changes-before'))) return () => true;
  return ({ vmState }) => vmState !== 'deleted';
}

function statusTest(values: readonly string[], { minor, isAdmin }: Asked): ServerTest {
  const wanted = values.map((status) => status.toUpperCase());
  const known = wanted.filter((status) => STATUS_NAMES.has(status));
  if (known.length === 0 && minor >= 38) throw wrong('Invalid status value');
  if (known.includes('DELETED') && !isAdmin) {
    throw new IngotError('forbidden', 'Only administrators may list deleted instances');
  }
  return (server) => known.includes(statusOf(server));
}

function checkPeriod(given: ReadonlyMap<string, readonly string[]>, { minor }: Asked): void {
  const since = given.get('changes-since');
  const before = given.get('changes-before');
  if (minor < 66 || since === undefined || before === undefined) return;
  if (timeOf(last(before), 'changes-before') < timeOf(last(since), 'changes-since')) {
    throw wrong('The value of changes-since must be less than or equal to changes-before.');
  }
}

async function patternOf(text: string, argument: string): Promise<(text: string) => boolean> {
  const pattern = await parsePattern(text);
  if (pattern !== undefined) return pattern.finds;
  throw wrong(
    `Invalid input for query parameters ${argument}. Value: ${quote(text, '')}. ${quote(text)} is not a 'regex'`,
  );
}

/** Milliseconds since 1970. Throws invalidParameter. */
export function timeOf(text: string, argument: string): number {
  const time = parseIsoTime(text);
  if (time !== undefined) return time.ms;
  throw wrong(
    `Invalid input for query parameters ${argument}. Value: ${quote(text, '')}. ${quote(text)} is not a 'date-time'`,
  );
}

export const isTrue = (text: string): boolean => parseFlag(text) === true;
