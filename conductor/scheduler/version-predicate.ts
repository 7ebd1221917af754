/**
 * Version predicates of images: `>=1.0, <2`. Every part must be true; a part without an operator means `==`.
 */
const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
};

const PART = /^(<=|>=|==|!=|<|>|)\s*(\d+(?:\.\d+)*)$/;

/** False for an invalid predicate. */
export function satisfiesVersion(version: string, predicate: string): boolean {
  return predicate.split(',').every((part) => {
    const [, operator, wanted] = PART.exec(part.trim()) ?? [];
    return operator !== undefined && wanted !== undefined && COMPARISONS[operator]!(order(version, wanted));
  });
}

function order(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number)) as [number[], number[]];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
