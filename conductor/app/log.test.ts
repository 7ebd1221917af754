import { expect, it } from 'vitest';
import { redactedError } from './log.ts';

it('an error is logged without the secrets of URLs', () => {
  const cause = Object.assign(new Error('no answer of https://ada:s3cret@host/a?sig=s3cret'), {
    input: 'http://h/?sig=s3cret',
    code: 'EBAD',
  });
  const written = redactedError(new Error('it failed', { cause }));
  expect(written).toMatchObject({ type: 'Error', message: expect.stringContaining('it failed') });
  expect(redactedError(cause)).toMatchObject({ code: 'EBAD', input: 'http://h/?******' });
  expect(JSON.stringify(written)).toContain('https://******@host/a?******');
  expect(JSON.stringify([written, redactedError(cause)])).not.toContain('s3cret');
});
