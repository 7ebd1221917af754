/**
 * The HTTP and HTTPS servers on the provisioning network: the routes of the ramdisk and none of the operators'.
 * conductor/app adds the boot files and images to the same instances.
 */
import rateLimit from '@fastify/rate-limit';
import { refuseForeignPage } from '../../auth/foreign-page.ts';
import type { App, ServerTls } from '../kit/app.ts';
import type { ApiDeps } from './deps.ts';
import { registerRamdiskRoutes } from './routes/ramdisk.ts';
import { registerVersionDocuments } from './routes/version-documents.ts';
import { collectPaths, createServer, refuseOtherMethods } from './server.ts';

/**
 * Creates the API without listening; for HTTPS if there are TLS options. The rate limit per address covers only the
 * routes registered here.
 */
export function createRamdiskApi(deps: ApiDeps, tls?: ServerTls): App {
  const app = createServer(deps.logger, tls);
  // An operator's browser may reach this network, too.
  app.addHook('onRequest', async (request) => refuseForeignPage(request, []));
  app.register(async (scope) => {
    await scope.register(rateLimit, { max: deps.config.ramdiskCallsPerMinute, timeWindow: 60_000 });
    const paths = collectPaths(scope);
    registerVersionDocuments(scope, deps, 'ramdisk');
    registerRamdiskRoutes(scope, deps);
    refuseOtherMethods(scope, paths);
  });
  return app;
}
