/**
 * Microversions of the compute API: those of Nova, 2.1 to 2.73. Paths under /v2 are the API before microversions: it
 * has the routes of 2.1, and ignores unknown fields of a body.
 */
import type { Microversions, ReadVersion } from '../kit/microversion.ts';
import { pathOf } from './path.ts';

export const MIN_MINOR = 1;
/** The last microversion whose bodies are all supported. */
export const MAX_MINOR = 73;
/** For the API before microversions. */
const NO_MINOR = 0;

export const versionText = (minor: number): string => `2.${minor}`;

function read(asked: string | undefined): ReadVersion {
  // several values of one header are joined by commas; the last counts
  const wanted = asked?.split(',').at(-1)?.trim() ?? versionText(MIN_MINOR);
  if (wanted === 'latest') return { ok: true, minor: MAX_MINOR };
  const [, major, minor] = /^([1-9]\d{0,8})\.([1-9]\d{0,8}|0)$/.exec(wanted) ?? [];
  if (major === undefined) {
    const reason = `API Version String ${wanted.slice(0, 64)} is of invalid format. Must be of format MajorNum.MinorNum.`;
    return { ok: false, status: 400, reason };
  }
  const number = Number(minor);
  if (major === '2' && number >= MIN_MINOR && number <= MAX_MINOR) return { ok: true, minor: number };
  const reason = `Version ${wanted} is not supported by the API. Minimum is ${versionText(MIN_MINOR)} and maximum is ${versionText(MAX_MINOR)}.`;
  return { ok: false, status: 406, reason };
}

export const NOVA_VERSIONS: Microversions = {
  service: 'compute',
  min: MIN_MINOR,
  max: MAX_MINOR,
  headers: { standard: 'OpenStack-API-Version', applied: 'X-OpenStack-Nova-API-Version' },
  alwaysAnswersStandard: true,
  text: versionText,
  read,
  fixedFor: (request) => (pathOf(request).version === 'v2' ? NO_MINOR : undefined),
  absentText({ method, minor }, since, until) {
    const needed = minor < since ? `${versionText(since)} or newer` : `${versionText(until)} or older`;
    return `The resource could not be found. This ${method} needs compute API version ${needed}, the request uses ${versionText(minor)}.`;
  },
};
