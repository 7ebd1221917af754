/**
 * The provisioning network's listener: the routes of the ramdisk and nothing of the operators'.
 * app/ adds the boot assets and images to the same instance.
 */
import rateLimit from '@fastify/rate-limit';
import type { App } from '../kit/app.ts';
import type { ApiDeps } from './deps.ts';
import { registerRamdiskRoutes } from './routes/ramdisk.ts';
import { registerVersionDocuments } from './routes/version-documents.ts';
import { collectPaths, createServer, refuseOtherMethods } from './server.ts';

/** Not listening yet. Only the routes registered here are counted against the rate limit of an address. */
export function createRamdiskApi(deps: ApiDeps): App {
  const app = createServer(deps.logger);
  app.register(async (scope) => {
    await scope.register(rateLimit, { max: deps.config.ramdiskCallsPerMinute, timeWindow: 60_000 });
    const paths = collectPaths(scope);
    registerVersionDocuments(scope, deps, 'ramdisk');
    registerRamdiskRoutes(scope, deps);
    refuseOtherMethods(scope, paths);
  });
  return app;
}
