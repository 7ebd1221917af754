/**
 * Nova's /extensions, which microversions have replaced: there are none.
 */
import { IngotError } from '../../../domain/errors.ts';
import type { App } from '../../kit/app.ts';

export function extensionRoutes(app: App): void {
  app.get('/extensions', { config: { access: 'reader' } }, async () => ({ extensions: [] }));
  app.get('/extensions/:alias', { config: { access: 'reader' } }, async () => {
    throw new IngotError('notFound', 'The resource could not be found.');
  });
}
