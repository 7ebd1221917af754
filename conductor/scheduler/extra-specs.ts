/**
 * Parses the value of a flavor's extra spec to a test of a host's value (Nova: "extra specs", operators of
 * ComputeCapabilitiesFilter and AggregateInstanceExtraSpecsFilter).
 *
 *   =  == != >= <=              as numbers; `=` means at least
 *   s== s!= s< s<= s> s>=       as strings
 *   <in> X                      X is part of the value
 *   <all-in> X Y                X and Y are parts of the value
 *   <or> X <or> Y               the value is X or Y
 *   any other text              the value is this text
 *
 * A value that is not a number does not match a numeric operator. Nova fails the whole request in that case.
 */
type Matches = (value: string) => boolean;

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Undefined if the text is not a number. */
const parseFloatText = (text: string): number | undefined =>
  FLOAT.test(text.trim()) ? Number(text) : undefined;

/** Returns the test for an operator with one operand. */
type Operator = (wanted: string) => Matches;

const numeric =
  (holds: (value: number, wanted: number) => boolean): Operator =>
  (wanted) => {
    const limit = parseFloatText(wanted);
    return (text) => {
      const value = parseFloatText(text);
      return value !== undefined && limit !== undefined && holds(value, limit);
    };
  };

const textual =
  (holds: (value: string, wanted: string) => boolean): Operator =>
  (wanted) =>
  (value) =>
    holds(value, wanted);

const OPERATORS: Readonly<Record<string, Operator>> = {
  '=': numeric((value, wanted) => value >= wanted),
  '==': numeric((value, wanted) => value === wanted),
  '!=': numeric((value, wanted) => value !== wanted),
  '>=': numeric((value, wanted) => value >= wanted),
  '<=': numeric((value, wanted) => value <= wanted),
  's==': textual((value, wanted) => value === wanted),
  's!=': textual((value, wanted) => value !== wanted),
  's<': textual((value, wanted) => value < wanted),
  's<=': textual((value, wanted) => value <= wanted),
  's>': textual((value, wanted) => value > wanted),
  's>=': textual((value, wanted) => value >= wanted),
  '<in>': textual((value, wanted) => value.includes(wanted)),
};

/** Parses a requirement to its test. An operator without an operand matches nothing. */
export function parseRequirement(text: string): Matches {
  const [operator = '', ...words] = text.trim().split(/\s+/);
  if (operator === '<all-in>') return (value) => words.length > 0 && words.every((w) => value.includes(w));
  if (operator === '<or>') {
    const alternatives = words.filter((_, index) => index % 2 === 0);
    return (value) => alternatives.includes(value);
  }
  if (!Object.hasOwn(OPERATORS, operator)) return (value) => value === text;
  const [wanted] = words;
  return wanted === undefined ? () => false : OPERATORS[operator]!(wanted);
}
