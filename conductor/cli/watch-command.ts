/**
 * `ingot watch NODE`: shows what happens to a node, step by step, until its operation ends.
 *
 * Exit codes: 0 the operation succeeded, 1 it failed, 3 the API cannot be reached or the node is unknown.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '@ingot/shared/ironic/error-body.ts';
import { Command, Option } from 'commander';
import type { Dispatcher } from 'undici';
import { CommandFailure } from './failure.ts';
import { createTimelinePrinter, type Timeline, type TimelinePrinter } from './timeline-printer.ts';

const POLL_MS = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Number of failed requests in a row before the command gives up: a conductor may be restarting. */
const MAX_FAILURES = 30;

interface WatchOptions {
  readonly endpoint: string;
  readonly osCacert?: string;
  readonly insecure?: boolean;
  readonly user?: string;
  readonly follow?: boolean;
  readonly hours: string;
}

export function watchCommand(): Command {
  return new Command('watch')
    .description('Show what happens to a node, step by step, until its operation ends')
    .argument('<node>', 'UUID or name of the node')
    .option('--endpoint <url>', 'URL of the bare-metal API', 'http://127.0.0.1:6385')
    .addOption(
      new Option('--os-cacert <file>', 'CA certificates (PEM) for the certificate of an https endpoint').env(
        'OS_CACERT',
      ),
    )
    .option('--insecure', 'do not check the certificate of an https endpoint')
    .option('--user <name:password>', 'user name and password, for an API with http_basic')
    .option('--follow', 'continue after the operation has ended')
    .option('--hours <n>', 'show boot sightings of the last <n> hours', '24')
    .action(watch);
}

async function watch(node: string, options: WatchOptions): Promise<void> {
  const printer = createTimelinePrinter(process.stdout);
  const dispatcher = await dispatcherFor(options);
  for (let failures = 0; ; ) {
    const timeline = await fetchTimeline(node, options, dispatcher).catch((error: unknown) => {
      failures += 1;
      if (error instanceof CommandFailure) throw error;
      if (failures < MAX_FAILURES && !printer.isEmpty) return undefined;
      throw new CommandFailure(`${options.endpoint} can not be reached: ${(error as Error).message}`, 3);
    });
    if (timeline !== undefined) {
      failures = 0;
      printer.print(timeline);
      if (hasEnded(timeline) && !options.follow) {
        finish(node, timeline, printer);
        return;
      }
    }
    await sleep(POLL_MS);
  }
}

/** True if no operation is running and no other one follows automatically, as cleaning follows a delete. */
function hasEnded({ node, operations: [last] }: Timeline): boolean {
  if (last === undefined) return true;
  if (last.finished_at === null) return false;
  return node.target_provision_state === null || last.state !== 'done';
}

function finish(name: string, { node, operations: [last] }: Timeline, printer: TimelinePrinter): void {
  printer.end(`node ${name} is in state ${node.provision_state}, ${node.power_state ?? 'power unknown'}`);
  if (last !== undefined && last.state !== 'done') {
    throw new CommandFailure(`${last.kind} ${last.state}: ${last.error ?? 'no reason was given'}`);
  }
}

/** undici is loaded only by the commands that need it. */
async function dispatcherFor({ osCacert, insecure }: WatchOptions): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: {
      rejectUnauthorized: insecure !== true,
      ...(osCacert === undefined || osCacert === '' ? {} : { ca: caFile(osCacert) }),
    },
  });
}

function caFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`--os-cacert: ${(error as Error).message}`, 2);
  }
}

async function fetchTimeline(node: string, options: WatchOptions, dispatcher: Dispatcher): Promise<Timeline> {
  const url = new URL(`/ingot/v1/nodes/${encodeURIComponent(node)}/timeline`, options.endpoint);
  url.searchParams.set('hours', options.hours);
  const { user } = options;
  const { request } = await import('undici');
  const { statusCode, body } = await request(url, {
    dispatcher,
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
    headers: user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
  });
  const answer: unknown = await body.json();
  if (statusCode !== 200) throw new CommandFailure(errorText(answer) ?? `HTTP ${statusCode}`, 3);
  return answer as Timeline;
}
