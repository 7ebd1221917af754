import { expect, it } from 'vitest';
import { refuseForeignPage } from './foreign-page.ts';

const refused = (headers: Record<string, string>, ...publicUrls: string[]): boolean => {
  try {
    refuseForeignPage({ headers: { host: '127.0.0.1:6385', ...headers } }, publicUrls);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return true;
  }
};

it.each<[string, Record<string, string>, boolean]>([
  ['a client that is no browser', {}, false],
  ['an address that was typed', { 'sec-fetch-site': 'none' }, false],
  ['our own page', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:6385' }, false],
  ['our own page behind a proxy', { 'sec-fetch-site': 'same-origin', origin: 'https://proxy' }, false],
  ['our own page in an older browser', { origin: 'http://127.0.0.1:6385' }, false],
  ['another site', { 'sec-fetch-site': 'cross-site' }, true],
  ['another port of this host', { 'sec-fetch-site': 'same-site' }, true],
  ['another site in an older browser', { origin: 'https://evil.example' }, true],
  ['another port in an older browser', { origin: 'http://127.0.0.1:3000' }, true],
  ['a sandboxed frame', { origin: 'null' }, true],
  ['a file', { origin: 'file://' }, true],
  ['a word that no browser says', { 'sec-fetch-site': 'anything' }, true],
])('%s', (_, headers, expected) => expect(refused(headers)).toBe(expected));

it('knows the URLs of a proxy', () => {
  expect(refused({ origin: 'https://bare.example' }, 'https://bare.example/')).toBe(false);
});
