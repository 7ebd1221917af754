/**
 * Values that an attacker, a broken client or a typing error could send instead of ordinary ones.
 */

/** Well-formed strings. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  'x'.repeat(256),
  'x'.repeat(5000),
  "' OR '1'='1",
  "'; DROP TABLE nodes; --",
  '1) UNION SELECT * FROM nodes --',
  '%',
  '_',
  '../../../../etc/passwd',
  '..\\..\\windows\\system32',
  '/etc/shadow',
  'file:///etc/passwd',
  '.',
  '..',
  '~root',
  '$(reboot)',
  '`reboot`',
  '; reboot #',
  '| cat /etc/passwd',
  '$' + '{jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'line\r\nSet-Cookie: a=b',
  'zero\u0000byte',
  '\u0000',
  '\u202etfel-ot-thgir',
  '\ufeffmark',
  'e\u0301\u0301\u0301',
  '\u{1f4a9}'.repeat(100),
  '\uffff',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e308',
  '99999999999999999999',
  'True',
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-00000000000g',
  '{"a":1}',
  '[]',
  'detail',
];

/** As parts of a path or query: these, and bytes that are not valid UTF-8 or percent encoding. */
export const HOSTILE_PARTS: readonly string[] = [
  ...HOSTILE_TEXTS.map(encodeURIComponent),
  '%ED%A0%80',
  '%FF',
  '%C0%AF..%C0%AFetc',
  '%E0%A4%A',
  '%',
  '%zz',
  '%252e%252e%252f',
  '..;/',
  'a;b=c',
];

/** A lone surrogate is a valid JavaScript string and JSON escape, but not valid Unicode text. */
const LONE_SURROGATE = '\ud800';

export const HOSTILE_VALUES: readonly unknown[] = [
  ...HOSTILE_TEXTS,
  LONE_SURROGATE,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  [],
  {},
  [null],
  [[]],
  [{}],
  { a: { b: { c: 1 } } },
  { '': '' },
  { '\u0000': 1 },
  { constructor: { prototype: { polluted: true } } },
  Array.from({ length: 1000 }, () => 0),
  nested(24),
  nested(100),
];

export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Bodies that are not JSON. */
export const MALFORMED: readonly string[] = [
  '{',
  '{"a":',
  '[1,',
  '}',
  "{'a': 1}",
  '{a: 1}',
  '{"a": 1,}',
  '{"a": 1} {"b": 2}',
  '{"a": NaN}',
  '{"a": 0x10}',
  '{"a": "\n"}',
  '"\\ud83',
  'null null',
  '<xml/>',
  '\u0000',
  '{"__proto__": {"polluted": true}}',
  '{"constructor": {"prototype": {"polluted": true}}}',
];

/** JSON that is nested deeper than any valid body. */
export const DEEP: readonly string[] = [
  '['.repeat(30) + ']'.repeat(30),
  `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`,
  '['.repeat(100_000) + ']'.repeat(100_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
];
