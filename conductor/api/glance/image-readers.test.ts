import { describe, expect, it } from 'vitest';
import { list, oneOf, openObject, text } from '../kit/readers.ts';
import { orNull, placeOf, readBody } from './image-readers.ts';

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was read.');
};

describe('a field of an image', () => {
  const read = (value: unknown) => orNull(oneOf(['raw', 'iso'])).read(value, placeOf('disk_format'));

  it('may be null when the reader accepts it, and the error says so, too', () => {
    expect([read('raw'), read(null)]).toEqual(['raw', null]);
    expect(refusal(() => read('x'))).toBe('Invalid image object: disk_format must be one of null, raw, iso.');
    expect(refusal(() => orNull(text()).read(5, placeOf('name')))).toBe(
      'Invalid image object: name must be of type null or string.',
    );
  });

  it('that is a list is named as a whole, for any wrong item', () => {
    expect(refusal(() => list(text({ max: 2 })).read(['a', 'long'], placeOf('tags')))).toBe(
      'Invalid image object: tags has an item that must have 2 characters at most.',
    );
  });
});

describe('another body', () => {
  const BODY = openObject({ method: openObject({ name: oneOf(['web-download']), uri: text() }) });

  it('is read by its table, and other fields are ignored', () => {
    const method = { name: 'web-download', uri: 'http://h/i' };
    expect(readBody({ method: { ...method, x: 1 }, stores: [] }, BODY)).toEqual({ method });
  });

  it.each([
    [undefined, 'it must be of type object'],
    [[], 'it must be of type object'],
    [{}, 'method is missing'],
    [{ method: 5 }, 'method must be of type object'],
    [{ method: { name: 'copy', uri: 'x' } }, 'method.name must be one of web-download'],
    [{ method: { name: 'web-download' } }, 'method.uri is missing'],
    [{ method: { name: 'web-download', uri: 5 } }, 'method.uri must be of type string'],
  ])('%j is refused with the name of the field', (body, what) => {
    expect(refusal(() => readBody(body, BODY))).toBe(`Invalid request body: ${what}.`);
  });
});
