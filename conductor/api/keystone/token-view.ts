/**
 * A token as the Identity API v3 shows it.
 */

import type { JsonObject } from '../../domain/json.ts';
import { PROJECT_REF, ROLE_REFS, userRef } from '../../identity/directory.ts';
import type { TokenClaims } from '../../identity/signed-token.ts';

/** `catalog` is null for a token without scope, and when the request does not want it. */
export function tokenView(claims: TokenClaims, catalog: readonly JsonObject[] | null): JsonObject {
  const { id, user, scope, methods, issuedAt, expiresAt } = claims;
  return {
    methods: [...methods],
    user: { ...userRef(user), password_expires_at: null },
    audit_ids: [id],
    issued_at: timeText(issuedAt),
    expires_at: timeText(expiresAt),
    ...(scope === 'project' ? { is_domain: false, project: PROJECT_REF } : {}),
    ...(scope === 'system' ? { system: { all: true } } : {}),
    ...(scope === 'none' ? {} : { roles: [...ROLE_REFS] }),
    ...(scope === 'none' || catalog === null ? {} : { catalog: [...catalog] }),
  };
}

/** Clients expect six digits after the second. */
const timeText = (at: number): string => new Date(at).toISOString().replace('Z', '000Z');
