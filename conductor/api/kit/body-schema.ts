/**
 * JSON Schemas of request bodies together with their TypeScript types: the part that our routes need. The library for
 * this has about 370 modules, and loading it takes a tenth of a conductor's start.
 */

declare const STANDS_FOR: unique symbol;
const OPTIONAL = Symbol('optional');

/** A JSON Schema (2020-12) of `T`. */
export interface BodySchema<T> {
  readonly [keyword: string]: unknown;
  readonly [STANDS_FOR]?: T;
}

interface Optional<T> extends BodySchema<T> {
  readonly [OPTIONAL]: true;
}

type Properties = Readonly<Record<string, BodySchema<unknown>>>;
type OptionalKeys<P extends Properties> = {
  [K in keyof P]: P[K] extends Optional<unknown> ? K : never;
}[keyof P];

/** The TypeScript type of the values that the schema accepts. */
export type Static<S> = S extends BodySchema<infer T> ? T : never;

type ObjectOf<P extends Properties> = {
  readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]>;
} & { readonly [K in OptionalKeys<P>]?: Static<P[K]> };

type Limits = Readonly<Record<string, string | number | boolean>>;

export const Type = {
  String: (limits: Limits = {}): BodySchema<string> => ({ type: 'string', ...limits }),
  Integer: (limits: Limits = {}): BodySchema<number> => ({ type: 'integer', ...limits }),
  Boolean: (): BodySchema<boolean> => ({ type: 'boolean' }),
  Null: (): BodySchema<null> => ({ type: 'null' }),
  Enum: <const V extends string>(values: readonly V[]): BodySchema<V> => ({ enum: values }),
  Array: <T>(items: BodySchema<T>, limits: Limits = {}): BodySchema<T[]> => ({
    type: 'array',
    items,
    ...limits,
  }),
  Union: <S extends readonly BodySchema<unknown>[]>(
    anyOf: readonly [...S],
  ): BodySchema<Static<S[number]>> => ({
    anyOf,
  }),
  Optional: <T>(schema: BodySchema<T>): Optional<T> => ({ ...schema, [OPTIONAL]: true }),
  Object: <P extends Properties>(properties: P, limits: Limits = {}): BodySchema<ObjectOf<P>> => ({
    type: 'object',
    required: Object.keys(properties).filter((key) => !(OPTIONAL in (properties[key] as object))),
    properties,
    ...limits,
  }),
};
