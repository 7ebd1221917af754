/**
 * The project that old catalogs have in the path, as in `/v2.1/{project_id}/servers`.
 */
import { IngotError } from '../../domain/errors.ts';
import type { App } from './cloud-service.ts';

/** It says nothing that the token does not, so it must not say anything else; administrators may name any. */
export function checkProjectInPath(app: App): void {
  app.addHook('onRequest', async ({ params, tenant }) => {
    const { projectId } = params as { readonly projectId?: string };
    if (projectId === undefined || projectId === tenant.projectId || tenant.isAdmin) return;
    throw new IngotError(
      'invalidParameter',
      `Malformed request URL: URL's project_id '${projectId.slice(0, 64)}' doesn't match Context's project_id '${tenant.projectId}'`,
    );
  });
}
