/**
 * JsonFilter's query language: `[">=", "$free_ram_mb", 1024]`, `["and", [...], [...]]`, `["in", "$host", "a", "b"]`.
 * A string that starts with `$` is an attribute of the host; after a dot, it is a key inside it: `$stats.rack`. Missing
 * attributes are left out, so a comparison with one of them lacks an operand and is false.
 */
import { bad, type Parsed } from './parsed.ts';

const MAX_DEPTH = 16;

export type Operand = string | number | boolean;
type Compare = (left: Operand, right: Operand) => boolean;

const COMPARISONS: Readonly<Record<string, Compare>> = {
  '=': (left, right) => order(left, right) === 0,
  '<': (left, right) => order(left, right) < 0,
  '>': (left, right) => order(left, right) > 0,
  '<=': (left, right) => order(left, right) <= 0,
  '>=': (left, right) => order(left, right) >= 0,
};
const COMMANDS = [...Object.keys(COMPARISONS), 'in', 'not', 'or', 'and'];

type Term =
  | { readonly kind: 'value'; readonly value: Operand }
  | { readonly kind: 'attribute'; readonly path: readonly string[] }
  | { readonly kind: 'query'; readonly query: JsonQuery };

export interface JsonQuery {
  readonly command: string;
  readonly terms: readonly Term[];
}

/** Parses a query; undefined for an empty one, which every host passes. */
export function parseQuery(text: string): Parsed<JsonQuery | undefined> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return bad('not JSON');
  }
  if (Array.isArray(json) && json.length === 0) return { ok: true, value: undefined };
  return parseList(json, 0);
}

function parseList(json: unknown, depth: number): Parsed<JsonQuery> {
  if (!Array.isArray(json)) return bad('must be a list that starts with an operator');
  if (depth > MAX_DEPTH) return bad(`nested deeper than ${MAX_DEPTH}`);
  const [command, ...rest] = json as unknown[];
  if (typeof command !== 'string' || !COMMANDS.includes(command)) {
    return bad(`unknown operator ${JSON.stringify(command)}; known are ${COMMANDS.join(' ')}`);
  }
  const terms: Term[] = [];
  for (const item of rest) {
    const term = parseTerm(item, depth);
    if (!term.ok) return term;
    terms.push(term.value);
  }
  return { ok: true, value: { command, terms } };
}

function parseTerm(item: unknown, depth: number): Parsed<Term> {
  if (Array.isArray(item)) {
    const query = parseList(item, depth + 1);
    return query.ok ? { ok: true, value: { kind: 'query', query: query.value } } : query;
  }
  if (typeof item === 'string' && item.startsWith('$')) {
    return { ok: true, value: { kind: 'attribute', path: item.slice(1).split('.') } };
  }
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') {
    return { ok: true, value: { kind: 'value', value: item } };
  }
  return bad(`${JSON.stringify(item)} can not be compared`);
}

/** Whether the query is true; `attribute` returns the value of `$path`. */
export function holds(
  query: JsonQuery,
  attribute: (path: readonly string[]) => Operand | undefined,
): boolean {
  const values = query.terms
    .map((term) => {
      if (term.kind === 'value') return term.value;
      return term.kind === 'attribute' ? attribute(term.path) : holds(term.query, attribute);
    })
    .filter((value) => value !== undefined);
  if (query.command === 'and') return values.every(Boolean);
  if (query.command === 'or') return values.some(Boolean);
  if (query.command === 'not') return values.some((value) => !value);
  const [first, ...others] = values;
  if (first === undefined || others.length === 0) return false;
  if (query.command === 'in') return others.some((other) => order(first, other) === 0);
  return others.every((other) => COMPARISONS[query.command]!(first, other));
}

/** Compares a text with a number as numbers, because stats are text. NaN makes every comparison false. */
function order(left: Operand, right: Operand): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  if (typeof left === 'boolean' || typeof right === 'boolean') return left === right ? 0 : Number.NaN;
  if (left === '' || right === '') return Number.NaN;
  return Number(left) - Number(right);
}
