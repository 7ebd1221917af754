/**
 * Selects the best candidates without sorting all of them.
 */

/** Up to `count` candidates with the greatest weights, best first; candidates of equal weight keep their order. */
export function best(
  candidates: readonly number[],
  weights: Readonly<Float64Array>,
  count: number,
): number[] {
  const top: number[] = [];
  if (count < 1) return top;
  for (const candidate of candidates) {
    const weight = weights[candidate]!;
    if (top.length === count && weight <= weights[top[count - 1]!]!) continue;
    let place = top.length;
    while (place > 0 && weights[top[place - 1]!]! < weight) place--;
    top.splice(place, 0, candidate);
    if (top.length > count) top.pop();
  }
  return top;
}
