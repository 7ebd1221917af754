/**
 * Makes wire objects from stored rows, with one getter per field; the getters are chosen once per answer.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { emptyValue } from '@ingot/shared/ironic/field-values.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import { maskSecrets } from '../../domain/secrets.ts';
import { uniformObjects } from '../../domain/uniform-objects.ts';
import { selfAndBookmark, selfAndBookmarkText } from './links.ts';

export type WireObject = Record<string, unknown>;
export type Getter<T> = (row: T) => unknown;

/** ISO 8601 with an offset, as Python writes it. */
export const wireTime = (time: Date | null): string | null =>
  time === null ? null : `${time.toISOString().slice(0, -1)}+00:00`;

/** Reads the field of the same name; times become text, secrets in dictionaries are masked. */
export function plainGetter<T extends object>(field: WireField): Getter<T> {
  const key = camelCase(field.wire) as keyof T;
  const empty = emptyValue(field.kind);
  if (field.kind === 'time') return (row) => wireTime((row[key] as Date | null | undefined) ?? null);
  if (field.kind === 'dict') return (row) => maskSecrets((row[key] ?? {}) as JsonObject);
  return (row) => row[key] ?? empty;
}

export interface Presenter<T> {
  present(row: T): WireObject;
  /**
   * The same as JSON. Reuses the JSON of values that are equal to those of the previous row: many nodes are alike, so
   * a long list takes a third of the time.
   */
  text(row: T): string;
}

const jsonOf = (value: unknown): string =>
  value == null ? 'null' : typeof value === 'boolean' ? String(value) : JSON.stringify(value);

/**
 * `collection` is the resource's path under the version root: `nodes`. `subResources` are shown as links after the
 * fields.
 */
export function createPresenter<T extends { readonly uuid: string }>(
  fields: readonly WireField[],
  getterOf: (field: WireField) => Getter<T>,
  base: string,
  collection: string,
  subResources: readonly string[] = [],
): Presenter<T> {
  const columns = fields.map((field) => [field.wire, getterOf(field)] as const);
  const keys = columns.map(([name]) => `${JSON.stringify(name)}:`);
  const getters = columns.map(([, get]) => get);
  const before: unknown[] = columns.map(() => null);
  const written = [...keys.map((key) => `${key}null`), ''];
  const baseText = JSON.stringify(base).slice(1, -1);
  const blank = uniformObjects([...columns.map(([name]) => name), 'links', ...subResources]);
  return {
    present(row) {
      const wire: WireObject = blank();
      const path = `${collection}/${row.uuid}`;
      for (const [name, get] of columns) wire[name] = get(row);
      wire['links'] = selfAndBookmark(base, path);
      for (const name of subResources) wire[name] = selfAndBookmark(base, `${path}/${name}`);
      return wire;
    },
    text(row) {
      const path = `${collection}/${row.uuid}`;
      for (let index = 0; index < keys.length; index += 1) {
        const value = getters[index]!(row) ?? null;
        if (value === before[index]) continue;
        before[index] = value;
        written[index] = keys[index] + jsonOf(value);
      }
      let links = `"links":${selfAndBookmarkText(baseText, path)}`;
      for (const name of subResources)
        links += `,"${name}":${selfAndBookmarkText(baseText, `${path}/${name}`)}`;
      written[keys.length] = links;
      return `{${written.join()}}`;
    },
  };
}

/**
 * Answers with a page of a list as JSON text, which takes less time than objects; `next` is the link to the next page.
 */
export function sendListText<T extends object>(
  reply: FastifyReply,
  key: string,
  rows: readonly T[],
  presenter: Presenter<T>,
  next: string | undefined,
): FastifyReply {
  const items = rows.map((row) => presenter.text(row));
  const more = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  // As bytes: Node.js would copy a string of megabytes once more to join it with the headers.
  return sendText(reply, Buffer.from(`{"${key}":[${items.join()}]${more}}`));
}

/** Answers with one record as JSON text. */
export const sendRecordText = <T extends object>(
  reply: FastifyReply,
  row: T,
  presenter: Presenter<T>,
): FastifyReply => sendText(reply, presenter.text(row));

const sendText = (reply: FastifyReply, text: string | Buffer): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text);
