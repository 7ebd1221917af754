/**
 * The imports of the sources, including types, and the circles among them.
 */
import { dirname, relative, resolve } from 'node:path';

export interface Source {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
}

const specifiersOf = ({ text }: Source): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);

/** Files of the project that a file imports, relative to the root of the project. */
export function projectImports(source: Source, root: string): string[] {
  return specifiersOf(source).flatMap((specifier) => {
    if (specifier.startsWith('.')) return [relative(root, resolve(root, dirname(source.path), specifier))];
    return specifier.startsWith('@ingot/') ? [specifier.slice('@ingot/'.length)] : [];
  });
}

/** Packages and Node's own modules that a file imports. */
export const packageImports = (source: Source): string[] =>
  specifiersOf(source).filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('@ingot/'));

/** Groups of nodes that reach each other: the strongly connected components with more than one member (Tarjan 1972). */
export function findCircles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];

  function visit(node: string): void {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = path.splice(path.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  }

  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;
}
