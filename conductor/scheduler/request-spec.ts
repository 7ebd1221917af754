/**
 * A request for instances in the form that filters and weighers read. The flavor's extra specs and the image's
 * properties are parsed once per request, not once per host.
 */
import type { BuildPlace, Image, ServerFlavor, ServerGroup } from '../domain/compute.ts';
import { type Reader, readerOf } from './attributes.ts';
import { parseRequirement } from './extra-specs.ts';
import { type ImageNeeds, imageNeedsOf } from './image-needs.ts';
import { type JsonQuery, parseQuery } from './json-query.ts';
import { bad, type Parsed } from './parsed.ts';

/** The fields of a flavor that the scheduler reads. */
export type RequestFlavor = Omit<ServerFlavor, 'uuid' | 'name'>;

/** The fields of an image that the scheduler reads. */
export type RequestImage = Pick<Image, 'uuid' | 'properties'>;

/** The keys of `os:scheduler_hints` that filters read. */
export interface SchedulerHints {
  /** UUIDs of instances whose failure domain the new instance must share. */
  readonly sameHost?: readonly string[];
  /** UUIDs of instances whose failure domain the new instance must avoid. */
  readonly differentHost?: readonly string[];
  /** JsonFilter's query, as JSON text. */
  readonly query?: string;
}

/** The server group of the request, with the failure domains of its members. */
export interface RequestGroup extends Pick<ServerGroup, 'policy' | 'maxServerPerHost'> {
  /** Failure domain -> number of members there. The instances of this request are not counted. */
  readonly members: ReadonlyMap<string, number>;
}

export interface InstanceRequest {
  /** One UUID per requested instance. */
  readonly instanceUuids: readonly string[];
  /** Number of instances that must get a host (`min_count`). Default: all. */
  readonly minCount?: number;
  readonly flavor: RequestFlavor;
  /** Missing when booting from a volume. */
  readonly image?: RequestImage;
  readonly availabilityZone?: string;
  readonly hints?: SchedulerHints;
  readonly group?: RequestGroup;
  /** Hosts on which a build of this request has already failed. */
  readonly tried?: readonly BuildPlace[];
}

/** A capability or a key of an aggregate's metadata that must match. */
export interface Requirement {
  /** The key without its scope. */
  readonly name: string;
  /** Reads the value from a host: `capabilities:a:b` is key b of capability a. */
  readonly read: Reader;
  readonly hasScope: boolean;
  /** `asked for capabilities:a:b=>= 2`, for the reason of a refusal. */
  readonly asked: string;
  readonly matches: (value: string) => boolean;
}

export interface RequestSpec {
  readonly instanceUuids: readonly string[];
  readonly minCount: number;
  /** From `resources:` if given there, otherwise from the flavor. Zero if the flavor requests only a resource class. */
  readonly vcpus: number;
  readonly ramMb: number;
  readonly diskMb: number;
  /** Resource class -> amount, from `resources:`. Zero amounts are left out. */
  readonly resources: ReadonlyMap<string, number>;
  readonly requiredTraits: readonly string[];
  readonly forbiddenTraits: readonly string[];
  readonly capabilities: readonly Requirement[];
  readonly aggregateSpecs: readonly Requirement[];
  readonly image: RequestImage | undefined;
  readonly imageNeeds: ImageNeeds;
  readonly availabilityZone: string | undefined;
  readonly sameHost: readonly string[];
  readonly differentHost: readonly string[];
  readonly query: JsonQuery | undefined;
  readonly group: RequestGroup | undefined;
  readonly tried: readonly BuildPlace[];
}

const MB_PER_GB = 1024;
/** `resources:X`, `resources1:X`, `resources_net:X`: a machine is one provider, so the request group is ignored. */
const RESOURCE_KEY = /^resources([0-9]+|_[A-Za-z0-9_-]+)?:(.+)$/;
const TRAIT_KEY = /^trait([0-9]+|_[A-Za-z0-9_-]+)?:(.+)$/;

/** Parses the request, or returns the reason why it is invalid. */
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
      // resources:DISK_GB is the size of the whole disk, swap included
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

/** The same request after one of its instances has been placed in this failure domain. */
export function withMemberIn(spec: RequestSpec, domain: string): RequestSpec {
  if (spec.group === undefined) return spec;
  const members = new Map(spec.group.members);
  members.set(domain, (members.get(domain) ?? 0) + 1);
  return { ...spec, group: { ...spec.group, members } };
}

function parseResources(extraSpecs: RequestFlavor['extraSpecs']): Parsed<Map<string, number>> {
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

/** An image can require traits, as a flavor can, but it can not forbid them. */
function parseTraits(
  properties: Readonly<Record<string, string>>,
  extraSpecs: RequestFlavor['extraSpecs'],
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

/** The extra specs without a scope and with `scope`. Other filters read the other scopes. */
function requirements(
  extraSpecs: RequestFlavor['extraSpecs'],
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

/** Caches the result per value: hosts have few different values, and a test may be a regular expression. */
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
