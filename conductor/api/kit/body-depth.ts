/**
 * Bodies nested deeper than anything sensible are refused before a validator or walker sees them.
 */
import { IngotError } from '../../domain/errors.ts';
import type { App } from './app.ts';

const MAX_DEPTH = 25;

export function limitDepth(app: App): void {
  app.addHook('preValidation', (request, _, done) => {
    if (!depthExceeds(request.body, MAX_DEPTH)) done();
    else
      done(new IngotError('invalidParameter', `The request body is nested deeper than ${MAX_DEPTH} levels`));
  });
}

/** Level by level, so that depth costs no stack. */
export function depthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= limit) return true;
      for (const child of Object.values(item))
        if (typeof child === 'object' && child !== null) inner.push(child);
    }
    level = inner;
  }
  return false;
}
