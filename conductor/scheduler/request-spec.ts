/**
 * A request for instances as the filters and weighers read it: the flavor's extra specs and the image's
 * properties taken apart once, whatever the number of hosts.
 */
import { type Reader, readerOf } from './attributes.ts';
import { parseRequirement } from './extra-specs.ts';
import { type ImageNeeds, imageNeedsOf } from './image-needs.ts';
import { type JsonQuery, parseQuery } from './json-query.ts';
import { bad, type Parsed } from './parsed.ts';

export interface Flavor {
  readonly name: string;
  readonly vcpus: number;
  readonly ramMb: number;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  readonly swapMb: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

export interface Image {
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** `os:scheduler_hints`, as far as filters know them. */
export interface SchedulerHints {
  /** Instance UUIDs to be next to. */
  readonly sameHost?: readonly string[];
  /** Instance UUIDs to keep away from. */
  readonly differentHost?: readonly string[];
  /** JsonFilter's query, JSON text. */
  readonly query?: string;
}

export const GROUP_POLICIES = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const;

export interface ServerGroup {
  readonly policy: (typeof GROUP_POLICIES)[number];
  /** Members that one failure domain may hold under anti-affinity. */
  readonly maxServerPerHost: number;
  /** Failure domain -> members there. The instances that are asked for now are not among them. */
  readonly members: ReadonlyMap<string, number>;
}

export interface Tried {
  readonly host: string;
  readonly nodename: string;
}

export interface InstanceRequest {
  /** One per wanted instance. */
  readonly instanceUuids: readonly string[];
  /** How many must be found; all of them unless given (`min_count`). */
  readonly minCount?: number;
  readonly flavor: Flavor;
  /** Missing when booting from a volume. */
  readonly image?: Image;
  readonly availabilityZone?: string;
  readonly hints?: SchedulerHints;
  readonly group?: ServerGroup;
  /** Where a build of this request has failed already. */
  readonly tried?: readonly Tried[];
}

/** A capability or an aggregate's key that must match. */
export interface Requirement {
  /** The key without its scope. */
  readonly name: string;
  /** What the name stands for on a host: `capabilities:a:b` is b in a. */
  readonly read: Reader;
  readonly hasScope: boolean;
  /** `asked for capabilities:a:b=>= 2`, for the reason. */
  readonly asked: string;
  readonly matches: (value: string) => boolean;
}

export interface RequestSpec {
  readonly instanceUuids: readonly string[];
  readonly minCount: number;
  /** The flavor's, unless `resources:` says otherwise: zero in a flavor that asks for a resource class only. */
  readonly vcpus: number;
  readonly ramMb: number;
  readonly diskMb: number;
  /** Resource class -> amount, as asked by `resources:`; zeros are left out. */
  readonly resources: ReadonlyMap<string, number>;
  readonly requiredTraits: readonly string[];
  readonly forbiddenTraits: readonly string[];
  readonly capabilities: readonly Requirement[];
  readonly aggregateSpecs: readonly Requirement[];
  readonly image: Image | undefined;
  readonly imageNeeds: ImageNeeds;
  readonly availabilityZone: string | undefined;
  readonly sameHost: readonly string[];
  readonly differentHost: readonly string[];
  readonly query: JsonQuery | undefined;
  readonly group: ServerGroup | undefined;
  readonly tried: readonly Tried[];
}

const MB_PER_GB = 1024;
/** `resources:X`, `resources1:X`, `resources_net:X`: a machine is one provider, so groups come to the same. */
const RESOURCE_KEY = /^resources([0-9]+|_[A-Za-z0-9_-]+)?:(.+)$/;
const TRAIT_KEY = /^trait([0-9]+|_[A-Za-z0-9_-]+)?:(.+)$/;

/** The request as a spec, or which part of it has no meaning. */
export function parseRequest(request: InstanceRequest): Parsed<RequestSpec> {
  const { flavor, image, hints = {}, instanceUuids, minCount = instanceUuids.length } = request;
  if (instanceUuids.length === 0) return bad('the request asks for no instance');
  if (new Set(instanceUuids).size < instanceUuids.length) return bad('an instance UUID is given twice');
  if (!Number.isInteger(minCount) || minCount < 1 || minCount > instanceUuids.length) {
    return bad(`min_count must be from 1 to ${instanceUuids.length}, the number of instances`);
  }
  const resources = parseResources(flavor.extraSpecs);
  if (!resources.ok) return resources;
  const traits = parseTraits({ ...image?.properties }, flavor.extraSpecs);
  if (!traits.ok) return traits;
  const query = hints.query === undefined ? undefined : parseQuery(hints.query);
  if (query?.ok === false) return bad(`scheduler hint query: ${query.reason}`);

  const asked = resources.value;
  const diskGb = asked.get('DISK_GB');
  return {
    ok: true,
    value: {
      instanceUuids,
      minCount,
      vcpus: asked.get('VCPU') ?? flavor.vcpus,
      ramMb: asked.get('MEMORY_MB') ?? flavor.ramMb,
      // resources:DISK_GB stands for the whole disk, swap included
      diskMb:
        (diskGb ?? flavor.rootGb + flavor.ephemeralGb) * MB_PER_GB +
        (diskGb === undefined ? flavor.swapMb : 0),
      resources: new Map([...asked].filter(([, amount]) => amount > 0)),
      ...traits.value,
      capabilities: requirements(flavor.extraSpecs, 'capabilities', ':'),
      aggregateSpecs: requirements(flavor.extraSpecs, 'aggregate_instance_extra_specs'),
      image,
      imageNeeds: imageNeedsOf(image?.properties ?? {}),
      availabilityZone: request.availabilityZone,
      sameHost: hints.sameHost ?? [],
      differentHost: hints.differentHost ?? [],
      query: query?.value,
      group: request.group,
      tried: request.tried ?? [],
    },
  };
}

/** The same request after one of its instances has got a place in this failure domain. */
export function withMemberIn(spec: RequestSpec, domain: string): RequestSpec {
  if (spec.group === undefined) return spec;
  const members = new Map(spec.group.members);
  members.set(domain, (members.get(domain) ?? 0) + 1);
  return { ...spec, group: { ...spec.group, members } };
}

function parseResources(extraSpecs: Flavor['extraSpecs']): Parsed<Map<string, number>> {
  const amounts = new Map<string, number>();
  for (const [key, text] of Object.entries(extraSpecs)) {
    const resourceClass = RESOURCE_KEY.exec(key)?.[2];
    if (resourceClass === undefined) continue;
    if (!/^\d{1,9}$/.test(text))
      return bad(`extra spec ${key}: the amount must be a whole number, not "${text}"`);
    amounts.set(resourceClass, (amounts.get(resourceClass) ?? 0) + Number(text));
  }
  return { ok: true, value: amounts };
}

/** Traits of the image are required as the flavor's are; an image forbids none. */
function parseTraits(
  properties: Readonly<Record<string, string>>,
  extraSpecs: Flavor['extraSpecs'],
): Parsed<Pick<RequestSpec, 'requiredTraits' | 'forbiddenTraits'>> {
  const wanted = { required: new Set<string>(), forbidden: new Set<string>() };
  const sources = [
    { from: 'image property', entries: Object.entries(properties), words: ['required'] },
    { from: 'extra spec', entries: Object.entries(extraSpecs), words: ['required', 'forbidden'] },
  ];
  for (const { from, entries, words } of sources) {
    for (const [key, word] of entries) {
      const trait = TRAIT_KEY.exec(key)?.[2];
      if (trait === undefined) continue;
      if (!words.includes(word)) return bad(`${from} ${key}: must be ${words.join(' or ')}, not "${word}"`);
      wanted[word as keyof typeof wanted].add(trait);
    }
  }
  const both = [...wanted.required].find((trait) => wanted.forbidden.has(trait));
  if (both !== undefined) return bad(`the trait ${both} is both required and forbidden`);
  return {
    ok: true,
    value: { requiredTraits: [...wanted.required], forbiddenTraits: [...wanted.forbidden] },
  };
}

/** The extra specs without a scope and those of `scope`; those of other scopes are somebody else's. */
function requirements(
  extraSpecs: Flavor['extraSpecs'],
  scope: string,
  separator?: string,
): readonly Requirement[] {
  return Object.entries(extraSpecs).flatMap(([key, text]) => {
    const colon = key.indexOf(':');
    if (colon >= 0 && key.slice(0, colon) !== scope) return [];
    const name = key.slice(colon + 1);
    const read = readerOf(separator === undefined ? [name] : name.split(separator));
    const asked = `asked for ${key}=${text}`;
    return [{ name, read, hasScope: colon >= 0, asked, matches: remembering(parseRequirement(text)) }];
  });
}

/** Hosts have few different values, and a test may be a regular expression. */
function remembering(matches: Requirement['matches']): Requirement['matches'] {
  const known = new Map<string, boolean>();
  return (value) => {
    let answer = known.get(value);
    if (answer === undefined) {
      answer = matches(value);
      known.set(value, answer);
    }
    return answer;
  };
}
