/**
 * Limits how often an address may call the routes of the ramdisk on the operators' listener, where they need no
 * authentication either.
 */
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { App } from '../kit/app.ts';

type Limiter = ReturnType<App['createRateLimit']>;

export function limitRamdiskCalls(app: App, perMinute: number): void {
  let check: Limiter | undefined;
  app.register(rateLimit, { global: false });
  app.after(() => {
    check = app.createRateLimit({ max: perMinute, timeWindow: 60_000 });
  });
  app.addHook('onRequest', (request, _, done) =>
    request.routeOptions.config.guard?.policy === 'ramdisk' ? limitCall(request) : done(),
  );

  async function limitCall(request: FastifyRequest): Promise<void> {
    const limit = await check?.(request);
    if (limit === undefined || limit.isAllowed || !limit.isExceeded) return;
    throw Object.assign(
      new Error(`Too many calls from this address. Try again in ${limit.ttlInSeconds} seconds.`),
      {
        statusCode: 429,
      },
    );
  }
}
