/**
 * Which root device hints there are and how their values are written (features C.5). Pure.
 *
 * Numbers: `= == != >= <= > <`, `<or> 1 <or> 2`, or none. Texts: `s== s!= s< s<= s> s>=`, `<in> x`, `<all-in> a b`,
 * `<or> a <or> b`, or none. Which disk matches is the agent's business.
 */
import { parseFlag } from './field-values.ts';

type HintKind = 'text' | 'gib' | 'flag';

export const ROOT_DEVICE_HINTS = {
  name: 'text',
  model: 'text',
  vendor: 'text',
  serial: 'text',
  wwn: 'text',
  wwn_with_extension: 'text',
  wwn_vendor_extension: 'text',
  hctl: 'text',
  by_path: 'text',
  tran: 'text',
  size: 'gib',
  rotational: 'flag',
} as const satisfies Readonly<Record<string, HintKind>>;

const GIB = /^\s*((==|!=|>=|<=|=|>|<)?\s*\d+(\.\d+)?|(<or>\s*\d+(\.\d+)?\s*)+)\s*$/i;
const TEXT_OPERATOR = /^(s==|s!=|s<=|s>=|s<|s>|<in>|<all-in>|<or>)\s*(.*)$/is;
/** What looks like an operator and is none: with it, a text would quietly match no disk. */
const OTHER_OPERATOR = /^[=!<>~]/;

const REASONS: Readonly<Record<HintKind, (value: unknown) => string | undefined>> = {
  text(value) {
    if (typeof value === 'number') return undefined;
    if (typeof value !== 'string' || value.trim() === '') return 'must be a text';
    const text = value.trim();
    const operand = TEXT_OPERATOR.exec(text)?.[2];
    if (operand !== undefined)
      return operand.replaceAll('<or>', '').trim() === ''
        ? 'has an operator with nothing after it'
        : undefined;
    return OTHER_OPERATOR.test(text)
      ? 'has an unknown operator; texts have s==, s!=, s<, s<=, s>, s>=, <in>, <all-in>, <or>, or none for equality'
      : undefined;
  },
  gib: (value) =>
    (typeof value === 'number' || typeof value === 'string') && GIB.test(String(value))
      ? undefined
      : 'must be a number of GiB, alone or after one of =, ==, !=, >=, <=, >, <, <or>',
  flag: (value) => (parseFlag(value) === undefined ? 'must be true or false' : undefined),
};

/** What is wrong with `root_device`, as a phrase that begins with the hint's name; undefined when nothing is. */
export function badRootDeviceHints(hints: unknown): string | undefined {
  if (typeof hints !== 'object' || hints === null || Array.isArray(hints))
    return ' must be an object of hints, such as {"serial": "S1"}';
  for (const [name, value] of Object.entries(hints)) {
    if (!Object.hasOwn(ROOT_DEVICE_HINTS, name))
      return `.${name} is no hint; hints are ${Object.keys(ROOT_DEVICE_HINTS).join(', ')}`;
    const reason = REASONS[ROOT_DEVICE_HINTS[name as keyof typeof ROOT_DEVICE_HINTS]](value);
    if (reason !== undefined) return `.${name} ${reason}; it is ${JSON.stringify(value)}`;
  }
  return undefined;
}
