/** Our own tokens that were revoked before they expired. */
export interface RevokedTokens {
  /** Also removes those that have expired. */
  add(id: string, expiresAt: Date, now: Date): Promise<void>;
  has(id: string): Promise<boolean>;
}
