/**
 * Errors in fields of an image and in other bodies, as texts that continue after the name of the field.
 */
import { IngotError } from '../../domain/errors.ts';
import { type Fault, nullable, type Place, type Reader, type Words, wordsOf } from '../kit/readers.ts';

const WORDS: Words = {
  type: (_, { types }) => `must be of type ${types.join(' or ')}`,
  required: (_, { name }) => `must have ${name}`,
  unexpected: (_, { names }) => `must not have ${names.join(', ').slice(0, 100)}`,
  short: (_, { limit }) => `must have ${limit} characters at least`,
  long: (_, { limit }) => `must have ${limit} characters at most`,
  pattern: (_, { source }) => `must match ${source}`,
  range: (_, { min, max }) => `must be from ${min} to ${max}`,
  choice: (_, { choices }) => `must be one of ${choices.map(String).join(', ')}`,
  format: () => 'must be a UUID',
};

/** The place of a field; `inside`: of an item of a list. */
export function placeOf(field: string, item = ''): Place {
  return {
    minor: 0,
    isLenient: false,
    inside: () => placeOf(field, 'has an item that '),
    refuse(value, fault) {
      throw new IngotError(
        'invalidParameter',
        `Invalid image object: ${field} ${item}${wordsOf(WORDS, value, fault)}.`,
      );
    },
  };
}

/**
 * Reads a body that does not contain fields of an image. Throws invalidParameter, which names the field:
 * `method.uri`.
 */
export const readBody = <T>(body: unknown, reader: Reader<T>): T => reader.read(body ?? null, bodyPlace(''));

function bodyPlace(path: string): Place {
  const inside = (name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
  return {
    minor: 0,
    isLenient: false,
    inside: (name) => bodyPlace(inside(name)),
    refuse(value, fault) {
      const what =
        typeof fault !== 'string' && fault.kind === 'required'
          ? `${inside(fault.name)} is missing`
          : `${path === '' ? 'it' : path} ${wordsOf(WORDS, value, fault)}`;
      throw new IngotError('invalidParameter', `Invalid request body: ${what}.`);
    },
  };
}

/** Like `nullable`; errors say that null is accepted. */
export function orNull<T>(reader: Reader<T>): Reader<T | null> {
  const inner = nullable(reader);
  return {
    schema: inner.schema,
    read: (value, at) =>
      inner.read(value, { ...at, refuse: (wrong, fault) => at.refuse(wrong, withNull(fault)) }),
  };
}

function withNull(fault: Fault | string): Fault | string {
  if (typeof fault === 'string') return fault;
  if (fault.kind === 'type') return { ...fault, types: ['null', ...fault.types] };
  return fault.kind === 'choice' ? { ...fault, choices: [null, ...fault.choices] } : fault;
}
