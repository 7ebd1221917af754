import { expect, it } from 'vitest';
import { selfAndBookmark, selfAndBookmarkText } from './links.ts';

it('a record links to itself with the version in the path, and as a bookmark without it', () => {
  expect(selfAndBookmark('http://api', 'nodes/n1')).toEqual([
    { href: 'http://api/v1/nodes/n1', rel: 'self' },
    { href: 'http://api/nodes/n1', rel: 'bookmark' },
  ]);
});

it('the text is the same as JSON', () => {
  expect(selfAndBookmarkText('http://api', 'nodes/n1')).toBe(
    JSON.stringify(selfAndBookmark('http://api', 'nodes/n1')),
  );
});
