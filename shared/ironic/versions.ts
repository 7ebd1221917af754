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

export type Negotiated =
  | { readonly ok: true; readonly minor: number }
  | { readonly ok: false; readonly reason: string };

/** The microversion of a request from the values of its two version headers. */
export function negotiate(standard: string | undefined, own: string | undefined): Negotiated {
  const asked = standardFor('baremetal', standard) ?? own?.trim() ?? versionText(MIN_MINOR);
  if (asked.toLowerCase() === 'latest') return { ok: true, minor: MAX_MINOR };
  const match = /^(\d{1,4})\.(\d{1,4})$/.exec(asked);
  if (match === null) {
    return { ok: false, reason: `Invalid value for ${VERSION_HEADERS.applied} header` };
  }
  const [major, minor] = [Number(match[1]), Number(match[2])];
  const range = `[${versionText(MIN_MINOR)}, ${versionText(MAX_MINOR)}]`;
  if (major !== 1) {
    return {
      ok: false,
      reason: `Mutually exclusive versions requested. Version ${asked} requested but not supported by this service. The supported version range is: ${range}.`,
    };
  }
  if (minor < MIN_MINOR || minor > MAX_MINOR) {
    return {
      ok: false,
      reason: `Version ${asked} was requested but the minor version is not supported by this service. The supported version range is: ${range}.`,
    };
  }
  return { ok: true, minor };
}

/** The version for one service in `OpenStack-API-Version: compute 2.1, baremetal 1.50`. */
function standardFor(service: string, header: string | undefined): string | undefined {
  for (const part of header?.split(',') ?? []) {
    const [name, version] = part.trim().split(/\s+/);
    if (name?.toLowerCase() === service && version !== undefined) return version;
  }
  return undefined;
}
