/**
 * Finds the differences between two normalised answers to the same request.
 *
 * Everything is compared by value, except texts for people, which may be worded differently.
 */
import { type Answer, isObject, type Json } from './answer.ts';

export interface Difference {
  /** `group: title` of the request. */
  readonly request: string;
  /** `status`, `headers.location`, `body.nodes.0.name`, `error.faultcode`, ... */
  readonly at: string;
  /** Undefined if a side has no value here. */
  readonly oracle: Json | undefined;
  readonly ours: Json | undefined;
}

const PROSE = /^error\.(faultstring|description)$|(^|\.)(last_error|reason|event)$/;

/** The link to the next page: arguments may be in any order; defaults and filters may be present or absent. */
const NEXT = /(^|\.)next$/;
const PAGE_ARGUMENTS = ['limit', 'marker', 'sort_key', 'sort_dir', 'detail'];
const PAGE_DEFAULTS = new Set(['sort_key=id', 'sort_dir=asc', 'detail=false', 'marker=none']);

function pageOf(link: string): string {
  const [path, query] = link.split('?', 2);
  const all = [...new URLSearchParams(query ?? '')].map(
    ([name, value]) => [name, value.toLowerCase()] as const,
  );
  const said = all.filter(([name]) => PAGE_ARGUMENTS.includes(name)).map((pair) => pair.join('='));
  return [path, ...new Set(said.filter((pair) => !PAGE_DEFAULTS.has(pair)).sort())].join(' ');
}

export function compareAnswers(request: string, oracle: Answer, ours: Answer): Difference[] {
  return answersDiffer(oracle, ours).map((difference) => ({ request, ...difference }));
}

function answersDiffer(oracle: Answer, ours: Answer): Found[] {
  // With different statuses, a comparison of the bodies is useless.
  if (oracle.status !== ours.status) {
    return [{ at: 'status', oracle: outcome(oracle), ours: outcome(ours) }];
  }
  const shapes = [shapeOf(oracle.error), shapeOf(ours.error)] as const;
  if (shapes[0] === shapes[1]) return differencesAt('', plain(oracle), plain(ours));
  const rest = [oracle, ours].map(({ error: _, ...answer }) => plain(answer));
  return [{ at: 'error.shape', oracle: shapes[0], ours: shapes[1] }, ...differencesAt('', rest[0], rest[1])];
}

function outcome({ status, error }: Answer): string | number {
  const text = isObject(error) ? (error['faultstring'] ?? error['description']) : undefined;
  return text === undefined ? status : `${status} ${text}`;
}

/** The two forms of an error body: of the application, and of the router. */
function shapeOf(error: Json | undefined): string {
  if (error === undefined) return 'none';
  if (!isObject(error)) return 'other';
  return 'faultcode' in error ? 'application' : 'title' in error ? 'router' : 'other';
}

const plain = (answer: Answer): Json => JSON.parse(JSON.stringify(answer)) as Json;

type Found = Omit<Difference, 'request'>;

function differencesAt(at: string, oracle: Json | undefined, ours: Json | undefined): Found[] {
  if (isObject(oracle) && isObject(ours)) {
    const keys = new Set([...Object.keys(oracle), ...Object.keys(ours)]);
    return [...keys].flatMap((key) =>
      differencesAt(at === '' ? key : `${at}.${key}`, oracle[key], ours[key]),
    );
  }
  if (Array.isArray(oracle) && Array.isArray(ours)) {
    const length = Math.max(oracle.length, ours.length);
    return Array.from({ length }, (_, index) =>
      differencesAt(`${at}.${index}`, oracle[index] as Json | undefined, ours[index] as Json | undefined),
    ).flat();
  }
  if (oracle === ours) return [];
  if (NEXT.test(at) && typeof oracle === 'string' && typeof ours === 'string') {
    return pageOf(oracle) === pageOf(ours) ? [] : [{ at, oracle, ours }];
  }
  if (PROSE.test(at) && typeof oracle === 'string' && typeof ours === 'string') return [];
  return [{ at, oracle, ours }];
}

/** A difference that was reviewed. */
export interface ReviewedDifference {
  /** The requests that show it, by their `group: title`. */
  readonly requests: RegExp;
  readonly at: RegExp;
  /** Ironic's value, if it matters; `(nothing)` if Ironic has none. */
  readonly oracle?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}

export interface Verdict {
  readonly unreviewed: readonly Difference[];
  /** Entries that match no difference. */
  readonly unused: readonly ReviewedDifference[];
}

const covers = ({ requests, at, oracle, ours }: ReviewedDifference, difference: Difference): boolean =>
  requests.test(difference.request) &&
  at.test(difference.at) &&
  (oracle?.test(shown(difference.oracle)) ?? true) &&
  (ours?.test(shown(difference.ours)) ?? true);

export function judge(found: readonly Difference[], reviewed: readonly ReviewedDifference[]): Verdict {
  const used = new Set<ReviewedDifference>();
  const unreviewed = found.filter((difference) => {
    const entries = reviewed.filter((entry) => covers(entry, difference));
    for (const entry of entries) used.add(entry);
    return entries.length === 0;
  });
  return { unreviewed, unused: reviewed.filter((entry) => !used.has(entry)) };
}

const MAX_SHOWN = 160;
const shown = (value: Json | undefined): string =>
  value === undefined ? '(nothing)' : JSON.stringify(value).slice(0, MAX_SHOWN);

/** For developers: grouped by request, one line for each difference. */
export function describeDifferences(found: readonly Difference[]): string {
  const requests = Map.groupBy(found, ({ request }) => request);
  return [...requests]
    .map(([request, differences]) =>
      [
        request,
        ...differences.map(({ at, oracle, ours }) => `  ${at}: Ironic ${shown(oracle)}, ours ${shown(ours)}`),
      ].join('\n'),
    )
    .join('\n');
}
