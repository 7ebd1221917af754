/**
 * Calls of inspection rules to other hosts (`api-call`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { IngotError } from '../domain/errors.ts';
import type { Effect } from '../domain/inspection-rules/actions.ts';
import { type Outbound, RefusedDestination } from '../domain/outbound/outbound.ts';

export type RuleCall = Extract<Effect, { readonly kind: 'call' }>;

interface Problem {
  readonly text: string;
  readonly mayRetry: boolean;
}

const MAX_BACKOFF_DOUBLINGS = 10;

/** Throws agentFailure when the last attempt fails. */
export async function makeRuleCall(effect: RuleCall, outbound: Outbound, signal: AbortSignal): Promise<void> {
  const url = URL.parse(effect.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new IngotError(
      'agentFailure',
      'an inspection rule calls what is no http or https URL without a password',
    );
  }
  for (let attempt = 0; ; attempt++) {
    const problem = await call(url, effect, outbound, signal);
    if (problem === undefined) return;
    if (attempt >= effect.retries || !problem.mayRetry) {
      throw new IngotError(
        'agentFailure',
        `the call of an inspection rule to ${url.host} failed: ${problem.text}`,
      );
    }
    await sleep(effect.backoffMs * 2 ** Math.min(attempt, MAX_BACKOFF_DOUBLINGS), undefined, { signal });
  }
}

/** undefined after a successful answer. Redirects are not followed. */
async function call(
  url: URL,
  { headers: given, timeoutMs }: RuleCall,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const headers = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
  try {
    const limits = { maxRedirects: 0, stallMs: timeoutMs };
    const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { status, close } = await outbound.open(url.href, { ...limits, headers, signal: either });
    await close();
    if (status >= 200 && status < 300) return undefined;
    const redirected = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
    return { text: `it answered ${status}${redirected}`, mayRetry: status === 429 || status >= 500 };
  } catch (error) {
    signal.throwIfAborted();
    const text = error instanceof Error ? error.message : String(error);
    return { text, mayRetry: !(error instanceof RefusedDestination) };
  }
}
