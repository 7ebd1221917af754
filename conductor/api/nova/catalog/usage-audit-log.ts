/**
 * The progress of the monthly usage audit of Nova's compute services. Ingot has no such audit, so it shows that no
 * host has run. Nova's /os-instance_usage_audit_log.
 */

import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';

const PATH = '/os-instance_usage_audit_log';
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?$/;

interface Before {
  Params: { before: string };
}

export function usageAuditLogRoutes(app: App, { store, now }: ComputeDeps): void {
  async function logBefore(before: Date): Promise<JsonObject> {
    const services = await listAll(store.compute.computeServices, { binary: 'nova-compute' });
    const hosts = [...new Set(services.map(({ host }) => host))];
    const { begin, end } = lastMonth(before);
    return {
      period_beginning: begin,
      period_ending: end,
      num_hosts: hosts.length,
      num_hosts_done: 0,
      num_hosts_running: 0,
      num_hosts_not_run: hosts.length,
      hosts_not_run: hosts,
      total_instances: 0,
      total_errors: 0,
      overall_status: `${hosts.length === 0 ? 'ALL' : `0 of ${hosts.length}`} hosts done. 0 errors.`,
      log: {},
    };
  }

  app.get(
    PATH,
    described('admin', 'Show the usage audit of the last month', { item: 'instance_usage_audit_logs' }),
    async () => ({
      instance_usage_audit_logs: await logBefore(now()),
    }),
  );

  app.get<Before>(
    `${PATH}/:before`,
    described('admin', 'Show the usage audit of the month before a time', {
      item: 'instance_usage_audit_log',
    }),
    async ({ params: { before } }) => {
      const time = new Date(TIME.test(before) ? `${before.replace(' ', 'T')}Z` : Number.NaN);
      if (Number.isNaN(time.getTime()))
        throw new IngotError('invalidParameter', `Invalid timestamp for date ${before.slice(0, 64)}`);
      return { instance_usage_audit_log: await logBefore(time) };
    },
  );
}

/** The last whole month before a time, in Nova's form. */
function lastMonth(time: Date): { readonly begin: string; readonly end: string } {
  const firstOf = (monthsBack: number): string =>
    new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - monthsBack, 1)).toISOString().slice(0, 10);
  return { begin: `${firstOf(1)} 00:00:00`, end: `${firstOf(0)} 00:00:00` };
}
