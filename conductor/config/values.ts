/**
 * One parser per setting type; the environment and flags have text, YAML has its own types. The written value is kept
 * for display, and converted for the code.
 */
import { isIPv4 } from 'node:net';
import { MAX_DELAY_SECONDS, parseDelayRange } from '../domain/delay-range.ts';
import { parseHostPort } from '../domain/host-port.ts';
import { type Prefix, parseAddress, parsePrefix } from '../domain/ip-address.ts';
import { type Setting, UNIT_SCALE } from '../domain/setting.ts';

/** As written. */
export type SettingValue = string | number | boolean | readonly string[];
export type ParsedValue =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly reason: string };

const good = (value: SettingValue): ParsedValue => ({ ok: true, value });
const bad = (reason: string): ParsedValue => ({ ok: false, reason });

/** The value for the code, from a value that `parseSetting` accepted. */
export function productValue(spec: Setting, written: SettingValue | null): unknown {
  if (typeof written === 'number') return written * (UNIT_SCALE[spec.unit ?? ''] ?? 1);
  if (spec.type === 'networks') return (written as readonly string[]).flatMap(networksOf);
  if (typeof written !== 'string') return written;
  if (spec.type === 'hostPort') return parseHostPort(written);
  return spec.type === 'delay' ? parseDelayRange(written) : written;
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

export function parseSetting(spec: Setting, raw: unknown): ParsedValue {
  switch (spec.type) {
    case 'integer':
    case 'number':
      return parseNumber(spec, raw);
    case 'flag': {
      if (typeof raw === 'boolean') return good(raw);
      const flag = typeof raw === 'string' ? FLAGS[raw.toLowerCase()] : undefined;
      return flag === undefined ? bad('must be true or false') : good(flag);
    }
    case 'list':
      return parseList(spec, raw);
    case 'networks': {
      const list = parseList(spec, raw);
      const wrong = list.ok
        ? (list.value as readonly string[]).find((one) => networksOf(one).length === 0)
        : undefined;
      return wrong === undefined ? list : bad(`${wrong} is not a network such as 10.0.0.0/8 or fd00:1::/64`);
    }
    case 'delay': {
      // In YAML the delay may be a number.
      const text = typeof raw === 'number' ? String(raw) : raw;
      return typeof text === 'string' && parseDelayRange(text) !== undefined
        ? good(text)
        : bad(
            `must be seconds, or the usual and the most seconds such as "2,10", up to ${MAX_DELAY_SECONDS}`,
          );
    }
    default:
      return typeof raw === 'string' && raw !== '' ? parseText(spec, raw) : bad('must be a text');
  }
}

function parseNumber(spec: Setting, raw: unknown): ParsedValue {
  const value = typeof raw === 'string' && /^-?\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : raw;
  const whole = spec.type === 'integer';
  if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value))) {
    return bad(whole ? 'must be a whole number' : 'must be a number');
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, unit = '' } = spec;
  if (value < min || value > max) return bad(`must be between ${min} and ${max}${unit && ` ${unit}`}`);
  return good(value);
}

function parseList({ choices }: Setting, raw: unknown): ParsedValue {
  const items = typeof raw === 'string' ? itemsOf(raw) : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
    return bad('must be a list of texts');
  }
  const wrong = choices === undefined ? undefined : items.find((item) => !choices.includes(item));
  return wrong === undefined ? good(items) : bad(`${wrong} is none of ${choices?.join(', ')}`);
}

/** The network of a text; none of any other text. Host bits are refused, because they are mistakes. */
function networksOf(text: string): Prefix[] {
  const prefix = parsePrefix(text);
  const first = parseAddress(text.split('/')[0] ?? '');
  return prefix !== undefined && prefix.first === first?.value ? [prefix] : [];
}

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function parseText(spec: Setting, raw: string): ParsedValue {
  switch (spec.type) {
    case 'choice':
      return spec.choices?.includes(raw) ? good(raw) : bad(`must be one of ${spec.choices?.join(', ')}`);
    case 'hostPort':
      return parseHostPort(raw) ? good(raw) : bad('must be host:port, such as 127.0.0.1:6385 or [::1]:6385');
    case 'ipv4':
      return isIPv4(raw) ? good(raw) : bad('must be an IPv4 address');
    case 'url': {
      const url = URL.parse(raw);
      const fits = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
      return fits ? good(raw.replace(/\/+$/, '')) : bad('must be an http or https URL without credentials');
    }
    default:
      return good(raw);
  }
}
