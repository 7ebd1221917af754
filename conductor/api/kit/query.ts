/**
 * Parses query strings. Every argument is declared with its type and first microversion; others are refused by name.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { requireVersion } from './microversion.ts';

type Parser = (text: string) => unknown;

const refuse = (expected: string): never => {
  throw new IngotError('invalidParameter', expected);
};

const PARSERS = {
  text: (text: string): string => text,
  integer: (text: string): number => (/^-?\d{1,9}$/.test(text) ? Number(text) : refuse('must be an integer')),
  flag: (text: string): boolean => parseFlag(text) ?? refuse('must be a boolean'),
  uuid: (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse('must be a UUID')),
  list: (text: string): string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
} as const satisfies Record<string, Parser>;

export interface Argument {
  readonly kind: keyof typeof PARSERS;
  readonly since?: number;
}

export type Arguments = Readonly<Record<string, Argument>>;
export type Query<A extends Arguments> = {
  readonly [K in keyof A]?: ReturnType<(typeof PARSERS)[A[K]['kind']]>;
};

/** Throws invalidParameter, and notAcceptable for an argument newer than the request's microversion. */
export function parseQuery<A extends Arguments>(request: FastifyRequest, known: A): Query<A> {
  const given = request.query as Record<string, string | string[]>;
  const unexpected = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unexpected.length > 0) {
    throw new IngotError('invalidParameter', `Unexpected arguments: ${unexpected.join(', ')}`);
  }
  const entries = Object.entries(given).map(([name, value]) => {
    const { kind, since } = known[name] as Argument;
    requireVersion(request, since ?? 1, `The argument "${name}"`);
    return [name, parseValue(name, kind, value)] as const;
  });
  return Object.fromEntries(entries) as Query<A>;
}

function parseValue(name: string, kind: Argument['kind'], value: string | string[]): unknown {
  if (Array.isArray(value) && kind !== 'list') {
    throw new IngotError('invalidParameter', `The argument "${name}" was given more than once`);
  }
  const text = Array.isArray(value) ? value.join(',') : value;
  try {
    return PARSERS[kind](text);
  } catch (error) {
    if (!(error instanceof IngotError)) throw error;
    throw new IngotError(
      'invalidParameter',
      `The argument "${name}" ${error.message}, not "${text.slice(0, 64)}"`,
    );
  }
}
