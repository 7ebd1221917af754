/**
 * Refuses requests that a browser sends for somebody else's web page (CSRF). Only browsers send these headers: a page
 * can not leave them out, and other clients do not have them.
 *
 * `Sec-Fetch-Site` is the browser's own word on whose page it is, whatever a proxy does to Host. Pages of another port
 * of this host are `same-site`: somebody else's, too. Older browsers send only Origin, which must be this API's.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';

/** `publicUrls` are other URLs of this API, such as that of a proxy. Throws forbidden. */
export function refuseForeignPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrls: readonly string[],
): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  if (site !== undefined && site !== 'none') throw foreign();
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  const from = URL.parse(origin)?.host;
  const ours = [host.toLowerCase(), ...publicUrls.map((url) => URL.parse(url)?.host)];
  if (from === undefined || from === '' || !ours.includes(from)) throw foreign();
}

const foreign = (): IngotError =>
  new IngotError(
    'forbidden',
    "This request comes from another site's web page, which may not use this API. If the page is this API's own behind a proxy, set api.public_endpoint (or compute.public_endpoint) to the proxy's URL.",
  );
