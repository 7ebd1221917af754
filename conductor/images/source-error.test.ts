import { describe, expect, it } from 'vitest';
import { explain, explainStatus } from './source-error.ts';

const failed = (code: string, message = 'words of a library') => Object.assign(new Error(message), { code });

describe('explain', () => {
  it.each([
    [
      'a refused connection',
      failed('ECONNREFUSED'),
      /^the connection was refused\. To try: check that the server/,
    ],
    [
      'a full disk',
      failed('ENOSPC'),
      /^the conductor's disk is full\. To try: free some space under its data_dir/,
    ],
    [
      'an unknown certificate',
      failed('DEPTH_ZERO_SELF_SIGNED_CERT'),
      /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. To try: .*NODE_EXTRA_CA_CERTS/,
    ],
    ['an expired certificate', failed('CERT_HAS_EXPIRED'), /not trusted \(CERT_HAS_EXPIRED\)/],
    ['a certificate of another name', failed('ERR_TLS_CERT_ALTNAME_INVALID'), /not trusted/],
    ['what it does not know', failed('EIO', 'i/o error, read'), /^i\/o error, read$/],
    ['what says nothing', failed('EWHAT', ''), /^EWHAT$/],
    ['what has neither code nor text', new Error(''), /^the reason is unknown$/],
  ])('tells %s', (_, error, text) => {
    expect(explain(error)).toMatch(text);
  });

  it('uses the inner error of an error without a text', () => {
    const attempts = new AggregateError([failed('EHOSTUNREACH'), failed('ETIMEDOUT')]);
    expect(explain(attempts)).toMatch(/^the host cannot be reached/);
    expect(explain(new Error('fetch failed', { cause: failed('ENOTFOUND') }))).toMatch(
      /^the host name cannot be resolved/,
    );
  });
});

describe('explainStatus', () => {
  it.each([
    [401, 'user and password'],
    [403, 'user and password'],
    [404, 'the file does not exist'],
    [418, 'correct the URL'],
    [503, 'the server has a problem'],
  ])('of %i says what to try', (status, text) => {
    expect(explainStatus(status)).toContain(`the server answered HTTP ${status}. To try: `);
    expect(explainStatus(status)).toContain(text);
  });
});
