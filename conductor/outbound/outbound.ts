/**
 * Sends requests for others, and connects only to addresses that the rules allow: neither a redirect nor a name that
 * changes its address leads anywhere else.
 */
import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { type AddressRules, refusedAddress } from '../domain/outbound/address-rules.ts';
import {
  type OpenOptions,
  type Outbound,
  type OutboundAnswer,
  RefusedDestination,
} from '../domain/outbound/outbound.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { guardedLookup } from './guarded-lookup.ts';

export interface OutboundDeps {
  /** The rules as they are now, except for BMCs. */
  readonly rules: () => Omit<AddressRules, 'bmcs'>;
  readonly bmcHosts: () => Promise<readonly string[]>;
}

export function createOutbound(deps: OutboundDeps): Outbound {
  async function open(source: string, options: OpenOptions): Promise<OutboundAnswer> {
    const { maxRedirects, checkUrl, headers = {} } = options;
    const origin = new URL(source).origin;
    let url = new URL(source);
    for (let redirects = 0; ; redirects += 1) {
      checkScheme(url);
      checkUrl?.(url);
      const own = url.origin === origin ? headers : {};
      const { answer, location } = await get(url, own, options);
      if (location === undefined || maxRedirects === 0) return answer;
      await answer.close();
      if (redirects === maxRedirects)
        throw new RefusedDestination(`it redirects more than ${maxRedirects} times`);
      const next = URL.parse(location, bareUrl(url).href);
      if (next === null) throw new RefusedDestination('it redirects to what is not a URL');
      url = next;
    }
  }

  /** Loads undici with the first request, to keep the start fast. */
  async function get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    { stallMs, signal }: OpenOptions,
  ): Promise<{ readonly answer: OutboundAnswer; readonly location: string | undefined }> {
    const judge = await judgeFor(url);
    const { Agent, request } = await import('undici');
    const lookup = guardedLookup(judge);
    // Every request has its own connections, so that none is used for another host.
    const dispatcher: Agent = new Agent({ connect: { timeout: stallMs, lookup } });
    try {
      const {
        statusCode,
        headers: answered,
        body,
      } = await request(bareUrl(url).href, {
        dispatcher,
        headers: { ...headers, ...credentialsOf(url) },
        headersTimeout: stallMs,
        bodyTimeout: stallMs,
        signal,
      });
      // Without a listener, the error event of an aborted body would end the process.
      body.on('error', () => undefined);
      const length = Number(answered['content-length'] ?? Number.NaN);
      const { location } = answered;
      const redirected = statusCode >= 300 && statusCode < 400 && typeof location === 'string';
      return {
        location: redirected ? location : undefined,
        answer: {
          status: statusCode,
          length: Number.isFinite(length) ? length : null,
          finalUrl: redactedUrl(url.href),
          body,
          close: () => dispatcher.destroy(),
        },
      };
    } catch (error) {
      await dispatcher.destroy();
      throw error;
    }
  }

  /** Checks the host of the URL if it is an address, or a BMC by name. The result checks what a name resolves to. */
  async function judgeFor(url: URL): Promise<(address: string) => string | undefined> {
    const rules = { ...deps.rules(), bmcs: await deps.bmcHosts() };
    const refused = refusedHost(url, rules);
    if (refused !== undefined) throw new RefusedDestination(refused);
    return (address) => refusedAddress(address, rules, portOf(url));
  }

  return {
    open,
    async checkAddress(url) {
      await judgeFor(url);
    },
    refusal: (url) => refusedHost(url, { ...deps.rules(), bmcs: [] }),
  };
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** Names are judged by their addresses when they are resolved; the name of a BMC may have others then. */
function refusedHost(url: URL, rules: AddressRules): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return refusedAddress(host, rules, portOf(url));
  return rules.bmcs.some((bmc) => bmc.toLowerCase() === host.toLowerCase())
    ? `${host} is the name of a node's BMC, which nothing is fetched from`
    : undefined;
}

function checkScheme({ protocol }: URL): void {
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new RefusedDestination(`it is a URL that is not http or https, but ${protocol.slice(0, -1)}`);
}

function bareUrl(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** User info in a URL is sent to the host of that URL only. */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
