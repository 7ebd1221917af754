/**
 * API microversions: the version that a request selects (Ironic API reference, "Microversions").
 *
 * No header means 1.1, never the latest. `OpenStack-API-Version: baremetal 1.N` is the standard form and has
 * precedence; Ironic's own clients send `X-OpenStack-Ironic-API-Version: 1.N`.
 */
export const MIN_MINOR = 1;
/** Highest 1.N whose every field and endpoint Ingot serves or answers with 404. */
export const MAX_MINOR = 115;

export const VERSION_HEADERS = {
  standard: 'OpenStack-API-Version',
  applied: 'X-OpenStack-Ironic-API-Version',
  minimum: 'X-OpenStack-Ironic-API-Minimum-Version',
  maximum: 'X-OpenStack-Ironic-API-Maximum-Version',
} as const;

export const versionText = (minor: number): string => `1.${minor}`;

/** 406: Ironic has no other status for a version that it can not serve, nor for a text that is none. */
export type ReadVersion =
  | { readonly ok: true; readonly minor: number }
  | { readonly ok: false; readonly reason: string; readonly status: 406 };

/** The microversion that the value of a version header asks for; undefined is a request without one. */
export function readVersion(value: string | undefined): ReadVersion {
  const asked = value?.trim() ?? versionText(MIN_MINOR);
  if (asked.toLowerCase() === 'latest') return { ok: true, minor: MAX_MINOR };
  const match = /^(\d{1,4})\.(\d{1,4})$/.exec(asked);
  if (match === null) {
    return { ok: false, status: 406, reason: `Invalid value for ${VERSION_HEADERS.applied} header` };
  }
  const [major, minor] = [Number(match[1]), Number(match[2])];
  const range = `[${versionText(MIN_MINOR)}, ${versionText(MAX_MINOR)}]`;
  if (major !== 1) {
    return {
      ok: false,
      status: 406,
      reason: `Mutually exclusive versions requested. Version ${asked} requested but not supported by this service. The supported version range is: ${range}.`,
    };
  }
  if (minor < MIN_MINOR || minor > MAX_MINOR) {
    return {
      ok: false,
      status: 406,
      reason: `Version ${asked} was requested but the minor version is not supported by this service. The supported version range is: ${range}.`,
    };
  }
  return { ok: true, minor };
}
