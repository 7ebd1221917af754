import { expect, it } from 'vitest';
import { DownloadError, FinalDownloadError, SourceChanged } from './download-error.ts';
import { fromSources } from './sources.ts';

/** Tries the URLs; `answers` are the errors of the first attempts. */
async function trying(urls: readonly string[], ...answers: Error[]) {
  const notes: string[] = [];
  const tried: string[] = [];
  const result = await fromSources(
    urls,
    (text) => notes.push(text),
    async (url) => {
      tried.push(url);
      const error = answers.shift();
      if (error !== undefined) throw error;
      return 'image';
    },
  ).catch((error: Error) => error);
  return { result, tried, notes };
}

it('uses the first URL that delivers', async () => {
  expect(await trying(['a', 'b'])).toEqual({ result: 'image', tried: ['a'], notes: [] });
  expect(await trying(['a', 'b'], new FinalDownloadError('a is gone'))).toEqual({
    result: 'image',
    tried: ['a', 'b'],
    notes: ['a is gone; trying the next of image_info.urls'],
  });
});

it('starts again when the file has changed, three times', async () => {
  const changed = () => new SourceChanged('it has changed');
  const once = await trying(['a'], changed());
  expect(once).toMatchObject({ result: 'image', tried: ['a', 'a'] });
  expect(once.notes).toEqual(['it has changed; beginning again from its first byte']);
  const often = await trying(['a', 'b'], changed(), changed(), changed(), changed());
  expect(often).toMatchObject({ result: 'image', tried: ['a', 'a', 'a', 'a', 'b'] });
});

it('names every failure when none delivers', async () => {
  const { result, notes } = await trying(
    ['a', 'b'],
    new DownloadError('a failed'),
    new DownloadError('b failed'),
  );
  expect((result as Error).message).toBe(
    'no source of the image (image_info.urls) delivered it: a failed; b failed',
  );
  expect(notes).toHaveLength(1);
});

it('ends with an error that is not a DownloadError', async () => {
  const { result, tried } = await trying(['a', 'b'], new Error('wrong digest'));
  expect([(result as Error).message, tried]).toEqual(['wrong digest', ['a']]);
});
