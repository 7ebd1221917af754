/**
 * Links in answers: `self` under /v1, `bookmark` without it.
 */

export interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type?: string;
}

/** The result of selfAndBookmark as JSON; `base` is already escaped for JSON. */
export const selfAndBookmarkText = (base: string, path: string): string =>
  `[{"href":"${base}/v1/${path}","rel":"self"},{"href":"${base}/${path}","rel":"bookmark"}]`;

/** `path` is relative to the version root: `nodes/<uuid>`. */
export const selfAndBookmark = (base: string, path: string): Link[] => [
  { href: `${base}/v1/${path}`, rel: 'self' },
  { href: `${base}/${path}`, rel: 'bookmark' },
];
