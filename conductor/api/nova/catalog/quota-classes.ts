/**
 * The default limits of projects, which apply to all projects. Nova's /os-quota-class-sets.
 */

import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { App } from '../../kit/app.ts';
import { quotasShownIn } from './limits.ts';

/** First microversion that shows the limits of server groups. */
const SERVER_GROUPS = 50;
const PATH = '/os-quota-class-sets/:class';

interface OfClass {
  Params: { class: string };
}

export function quotaClassRoutes(app: App): void {
  app.get<OfClass>(
    PATH,
    described('admin', 'Show the default quotas', { item: 'quota_class_set' }),
    async (request) => {
      const quotas = Object.entries(quotasShownIn(request)).filter(
        ([name]) => request.minor >= SERVER_GROUPS || !name.startsWith('server_group'),
      );
      return { quota_class_set: { id: request.params.class, ...Object.fromEntries(quotas) } };
    },
  );

  app.put(PATH, described('admin', 'Refused: quotas cannot be set'), async () => {
    throw new IngotError(
      'unsupported',
      'Quotas are not set here: a project may have as many servers as fit.',
    );
  });
}
