import { describe, expect, it } from 'vitest';
import { isRedactedUrl, redactedText, redactedUrl } from './redacted-url.ts';

describe('a URL', () => {
  it.each([
    ['https://ada:pw@host:8443/a/b?token=x#part', 'https://******@host:8443/a/b?******'],
    ['https://ada@host/', 'https://******@host/'],
    ['https://:pw@host/', 'https://******@host/'],
    ['http://host/a?x', 'http://host/a?******'],
    ['http://[fd00::1]/a?x', 'http://[fd00::1]/a?******'],
    ['http:ada:pw@host/a', 'http://******@host/a'],
    ['http:\\\\ada:pw@host\\a', 'http://******@host/a'],
    [' http://ada:pw@host/a', 'http://******@host/a'],
    ['HTTP://ADA:PW@HOST/A', 'http://******@host/A'],
    ['http://ada:p@w@host/a', 'http://******@host/a'],
    ['s3://key:secret@bucket/a', 's3://******@bucket/a'],
    ['file:///srv/a?x', 'file:///srv/a?******'],
    ['glance://b?x', 'glance://b?******'],
    ['http://ada:pw@ho st/a?b', 'http://******@ho st/a?******'],
  ])('%s is shown as %s', (url, shown) => {
    expect(redactedUrl(url)).toBe(shown);
    expect(redactedUrl(shown)).toBe(shown);
  });

  it.each(['https://host/a#b', 'HTTP://HOST', 'debian-12', '', 'ada@example', 'what?', 'http://[', '{a?b}'])(
    '%j without secrets is unchanged',
    (text) => expect(redactedUrl(text)).toBe(text),
  );

  it('is known to be redacted', () => {
    for (const text of ['http://******@h/', 'http://h/?******', 'http://******@h/a?******'])
      expect(isRedactedUrl(text)).toBe(true);
    for (const text of ['http://h/', 'http://ada@h/?******', 'http://******@h/?real', '******', 'a?******'])
      expect(isRedactedUrl(text)).toBe(false);
  });
});

describe('a text', () => {
  it.each([
    [
      'GET http://a:b@h/x?y failed, see https://h/z?w.',
      'GET http://******@h/x?****** failed, see https://h/z?******.',
    ],
    ['(from "http://h/a?sig=1"): no', '(from "http://h/a?******"): no'],
    ['Is it at http://h/a? Or http://h/b?', 'Is it at http://h/a? Or http://h/b?'],
    ['http://h/a?b: the server answered', 'http://h/a?******: the server answered'],
    ['no URL? a@b', 'no URL? a@b'],
    ['http://a:b@h/x#y', 'http://******@h/x#y'],
  ])('%j is shown as %j', (text, shown) => {
    expect(redactedText(text)).toBe(shown);
    expect(redactedText(shown)).toBe(shown);
  });

  it('with a long URL shows no part of its query', () => {
    expect(redactedText(`GET http://h/a?${'x'.repeat(20_000)}: failed`)).toBe(
      'GET http://h/a?******: failed',
    );
  });

  it('of a hostile size takes no time', () => {
    const text = `${'a'.repeat(50_000)}://${'@?'.repeat(50_000)}`;
    const began = performance.now();
    redactedText(text);
    redactedText(`http://h/?${'.'.repeat(200_000)}x`);
    redactedUrl(`http://h/${'?'.repeat(100_000)}`);
    expect(performance.now() - began).toBeLessThan(500);
  });
});
