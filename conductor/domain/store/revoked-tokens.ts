/**
 * Tokens that were revoked.
 */
/** Tokens of ours that were taken back before their time was over. */
export interface RevokedTokens {
  /** Forgets those whose time is over. */
  add(id: string, expiresAt: Date, now: Date): Promise<void>;
  has(id: string): Promise<boolean>;
}
