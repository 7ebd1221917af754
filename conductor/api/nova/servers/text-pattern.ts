/**
 * Regular expressions of users, matched in time that grows with the text and never with what is tried: JavaScript's own
 * can be made to take years (CVE class "ReDoS"). The pattern becomes a small program that runs all its possibilities
 * side by side (Thompson 1968).
 *
 *   known: literals . [abc] [^a-z] \d \w \s \D \W \S ^ $ ( ) (?: ) | * + ? {m} {m,} {m,n}
 *
 * Others, such as back-references and look-ahead, are refused.
 */

type Test = (char: string) => boolean;

type Step =
  | { readonly op: 'char'; readonly test: Test }
  | { readonly op: 'fork'; readonly to: readonly number[] }
  | { readonly op: 'begin' | 'end' | 'match' };

/** Adds its steps to a program; what follows it begins where it stops. */
type Emit = (program: Step[]) => void;

const MAX_PATTERN = 255;
const MAX_STEPS = 300;
const MAX_REPEAT = 255;

class PatternError extends Error {}

/** Whether a text has a part that the pattern matches; undefined when the pattern is none. */
export function parsePattern(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  try {
    const program: Step[] = [];
    parse(pattern)(program);
    add(program, { op: 'match' });
    return (text) => run(program, text);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}

function run(program: readonly Step[], text: string): boolean {
  const seenAt = new Int32Array(program.length).fill(-1);
  let alive: number[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    const next: number[] = [];
    // a match may begin anywhere
    alive.push(0);
    // grows by the steps that are got to without taking a character
    for (let i = 0; i < alive.length; i += 1) {
      const index = alive[i]!;
      if (seenAt[index] === at) continue;
      seenAt[index] = at;
      const step = program[index]!;
      if (step.op === 'match') return true;
      if (step.op === 'fork') for (const to of step.to) alive.push(to);
      else if (step.op === 'char') {
        if (at < text.length && step.test(text[at]!)) next.push(index + 1);
      } else if (at === (step.op === 'begin' ? 0 : text.length)) alive.push(index + 1);
    }
    alive = next;
  }
  return false;
}

function add(program: Step[], step: Step): number {
  if (program.length >= MAX_STEPS) throw new PatternError('too long');
  return program.push(step) - 1;
}

/** Alternatives of sequences of repeated atoms. */
function parse(pattern: string): Emit {
  let at = 0;
  const peek = (): string | undefined => pattern[at];
  const take = (expected?: string): string => {
    const char = pattern[at];
    if (char === undefined || (expected !== undefined && char !== expected)) throw new PatternError('syntax');
    at += 1;
    return char;
  };

  function alternatives(): Emit {
    const branches = [sequence()];
    while (peek() === '|') {
      take();
      branches.push(sequence());
    }
    return branches.reduceRight((rest, branch) => either(branch, rest));
  }

  function sequence(): Emit {
    const parts: Emit[] = [];
    while (peek() !== undefined && peek() !== '|' && peek() !== ')') parts.push(repeated());
    return (program) => {
      for (const part of parts) part(program);
    };
  }

  function repeated(): Emit {
    const one = atom();
    const bounds = repetition();
    if (bounds === undefined) return one;
    // one repetition of another is a mistake in most languages
    if (repetition() !== undefined) throw new PatternError('multiple repeat');
    const [min, max] = bounds;
    return (program) => {
      for (let i = 0; i < min; i += 1) {
        // counts, so that repeating nothing for ever comes to its end too
        add(program, { op: 'fork', to: [program.length + 1] });
        one(program);
      }
      if (max === Number.POSITIVE_INFINITY) many(one)(program);
      else for (let i = min; i < max; i += 1) either(one, () => undefined)(program);
    };
  }

  function repetition(): readonly [number, number] | undefined {
    const sign = peek();
    if (sign === '{') {
      const [whole = '', low = '', comma, high = ''] =
        /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(pattern.slice(at)) ?? [];
      if (whole === '') throw new PatternError('syntax');
      at += whole.length;
      const min = Number(low);
      const max = comma === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high);
      if (min > max || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT))
        throw new PatternError('repeat');
      return [min, max];
    }
    if (sign !== '*' && sign !== '+' && sign !== '?') return undefined;
    take();
    return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY];
  }

  function atom(): Emit {
    const char = take();
    switch (char) {
      case '(': {
        if (pattern.startsWith('?:', at)) at += 2;
        const inner = alternatives();
        take(')');
        return inner;
      }
      case '[':
        return one(set());
      case '.':
        return one((other) => other !== '\n');
      case '^':
        return (program) => add(program, { op: 'begin' });
      case '$':
        return (program) => add(program, { op: 'end' });
      case '\\':
        return one(escaped(take()));
      case '*':
      case '+':
      case '?':
      case '{':
      case ')':
        throw new PatternError('nothing to repeat');
      default:
        return one((other) => other === char);
    }
  }

  function set(): Test {
    const isInverted = peek() === '^';
    if (isInverted) take();
    const tests: Test[] = [];
    // a bracket that comes first is itself
    do {
      const char = take();
      if (char === '\\') tests.push(escaped(take()));
      else if (peek() === '-' && pattern[at + 1] !== ']' && pattern[at + 1] !== undefined) {
        take();
        const last = take();
        if (last === '\\' || last < char) throw new PatternError('range');
        tests.push((other) => other >= char && other <= last);
      } else tests.push((other) => other === char);
    } while (peek() !== ']');
    take();
    return (char) => tests.some((test) => test(char)) !== isInverted;
  }

  const whole = alternatives();
  if (at < pattern.length) throw new PatternError('syntax');
  return whole;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  d: /\d/,
  D: /\D/,
  w: /\w/,
  W: /\W/,
  s: /\s/,
  S: /\S/,
};

function escaped(char: string): Test {
  const known = CLASSES[char];
  if (known !== undefined) return (other) => known.test(other);
  if (/[A-Za-z0-9]/.test(char)) throw new PatternError('escape');
  return (other) => other === char;
}

const one =
  (test: Test): Emit =>
  (program) =>
    add(program, { op: 'char', test });

const either =
  (a: Emit, b: Emit): Emit =>
  (program) => {
    const fork = add(program, { op: 'fork', to: [] });
    a(program);
    const jump = add(program, { op: 'fork', to: [] });
    program[fork] = { op: 'fork', to: [fork + 1, program.length] };
    b(program);
    program[jump] = { op: 'fork', to: [program.length] };
  };

const many =
  (inner: Emit): Emit =>
  (program) => {
    const fork = add(program, { op: 'fork', to: [] });
    inner(program);
    add(program, { op: 'fork', to: [fork] });
    program[fork] = { op: 'fork', to: [fork + 1, program.length] };
  };
