/**
 * What an extra spec of a flavor demands of one value (Nova: "extra specs", operators of
 * ComputeCapabilitiesFilter and AggregateInstanceExtraSpecsFilter).
 *
 *   =  == != >= <=              as numbers; `=` means at least
 *   s== s!= s< s<= s> s>=       as strings
 *   <in> X                      X is part of the value
 *   <all-in> X Y                every one is part of the value
 *   <or> X <or> Y               the value is one of them
 *   anything else               the value is exactly this
 *
 * What is no number does not match a numeric operator: Nova fails the whole request then.
 */
type Matches = (value: string) => boolean;

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const numeric = (holds: (value: number, wanted: number) => boolean) => (value: string, wanted: string) =>
  FLOAT.test(value.trim()) && FLOAT.test(wanted) && holds(Number(value), Number(wanted));

/** The operators that take one word. */
const OPERATORS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': numeric((value, wanted) => value >= wanted),
  '==': numeric((value, wanted) => value === wanted),
  '!=': numeric((value, wanted) => value !== wanted),
  '>=': numeric((value, wanted) => value >= wanted),
  '<=': numeric((value, wanted) => value <= wanted),
  's==': (value, wanted) => value === wanted,
  's!=': (value, wanted) => value !== wanted,
  's<': (value, wanted) => value < wanted,
  's<=': (value, wanted) => value <= wanted,
  's>': (value, wanted) => value > wanted,
  's>=': (value, wanted) => value >= wanted,
  '<in>': (value, wanted) => value.includes(wanted),
};

/** The test that a requirement's text stands for. An operator without an operand matches nothing. */
export function parseRequirement(text: string): Matches {
  const [operator = '', ...words] = text.trim().split(/\s+/);
  if (operator === '<all-in>') return (value) => words.length > 0 && words.every((w) => value.includes(w));
  if (operator === '<or>') {
    const alternatives = words.filter((_, index) => index % 2 === 0);
    return (value) => alternatives.includes(value);
  }
  if (!Object.hasOwn(OPERATORS, operator)) return (value) => value === text;
  const holds = OPERATORS[operator]!;
  const [wanted] = words;
  return wanted === undefined ? () => false : (value) => holds(value, wanted);
}
