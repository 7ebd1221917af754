/**
 * Checksum files such as SHA256SUMS, which are published with images.
 *
 *   <hex>                        one digest and no name
 *   <hex>  <name>                sha256sum; the name may begin with `*` and contain a path
 *   SHA256 (<name>) = <hex>      BSD
 *
 * Other lines, such as comments and signatures, are ignored.
 */
import { posix } from 'node:path';
import { IngotError } from '../domain/errors.ts';
import { DIGEST_HEX_LENGTH, type Digest, type DigestAlgorithm } from '../domain/images.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { openHttp } from './http-source.ts';
import { explain } from './source-error.ts';

const MAX_BYTES = 1024 * 1024;
const FIELD = 'image_checksum';

export interface ChecksumLimits {
  readonly outbound: Outbound;
  readonly stallMs: number;
  readonly limitMs: number;
}

interface Line {
  readonly digest: Digest;
  readonly name: string | undefined;
}

const PLAIN = /^\\?(?<hex>[0-9a-f]+)(?:\s+\*?(?<name>\S.*))?$/i;
const BSD = /^(?:MD5|SHA-?256|SHA-?512) ?\((?<name>.+)\) ?= ?(?<hex>[0-9a-f]+)$/i;
/** The strongest first. */
const ALGORITHMS: readonly DigestAlgorithm[] = ['sha512', 'sha256', 'md5'];

function parseLine(line: string): Line | undefined {
  const { hex, name } = (PLAIN.exec(line) ?? BSD.exec(line))?.groups ?? {};
  const algorithm = ALGORITHMS.find((known) => DIGEST_HEX_LENGTH[known] === hex?.length);
  if (hex === undefined || algorithm === undefined) return undefined;
  return {
    digest: { algorithm, value: hex.toLowerCase() },
    name: name === undefined ? undefined : posix.basename(name),
  };
}

/** The strongest digest of `fileName`. If the file contains only one digest, its name does not matter. */
export function findDigest(
  text: string,
  fileName: string,
): { ok: true; value: Digest } | { ok: false; reason: string } {
  const lines = text
    .split('\n')
    .map((line) => parseLine(line.trim()))
    .filter((line) => line !== undefined);
  if (lines.length === 0) return { ok: false, reason: 'contains no md5, sha256 or sha512 digest' };
  const ours = lines.length === 1 ? lines : lines.filter(({ name }) => name === fileName);
  const digests = ours.map(({ digest }) => digest);
  const best = ALGORITHMS.map((algorithm) => digests.filter((digest) => digest.algorithm === algorithm)).find(
    (found) => found.length > 0,
  );
  if (best === undefined)
    return { ok: false, reason: `contains ${lines.length} digests, none of ${fileName}` };
  if (new Set(best.map(({ value }) => value)).size > 1)
    return { ok: false, reason: `contains several ${best[0]!.algorithm} digests of ${fileName}` };
  return { ok: true, value: best[0]! };
}

/** The file name of an image source, as a checksum file contains it. */
export function fileNameOf(source: string): string {
  return decodeURIComponent(posix.basename(new URL(source).pathname));
}

/** The digest of `source` in the checksum file at `url`. Throws imageFailure. */
export async function fetchDigest(
  url: string,
  source: string,
  limits: ChecksumLimits,
  signal: AbortSignal,
): Promise<Digest> {
  const found = findDigest(await fetchText(url, limits, signal), fileNameOf(source));
  if (found.ok) return found.value;
  throw failure(
    `${redactedUrl(url)} ${found.reason}. To try: correct the URL, or give the digest itself in instance_info/${FIELD}`,
  );
}

const failure = (what: string, cause?: unknown): IngotError =>
  new IngotError('imageFailure', `instance_info/${FIELD}: ${what}`, { cause });

async function fetchText(url: string, limits: ChecksumLimits, signal: AbortSignal): Promise<string> {
  const deadline = AbortSignal.timeout(limits.limitMs);
  const either = AbortSignal.any([signal, deadline]);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    const source = await openHttp(url, {
      field: `instance_info/${FIELD}`,
      outbound: limits.outbound,
      stallMs: limits.stallMs,
      signal: either,
    });
    try {
      for await (const chunk of source.chunks) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES)
          throw failure(
            `${redactedUrl(url)} is larger than ${MAX_BYTES} bytes, so it is not a checksum file`,
          );
        parts.push(chunk);
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw failure(`${redactedUrl(url)} was not fetched within ${limits.limitMs / 1000} s`);
    if (error instanceof IngotError) throw error;
    throw failure(`${redactedUrl(url)} broke off after ${bytes} bytes: ${explain(error)}`, error);
  }
  return Buffer.concat(parts).toString('utf8');
}
