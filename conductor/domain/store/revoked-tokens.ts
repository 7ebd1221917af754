/** Tokens issued by Ingot that were revoked before they expired. */
export interface RevokedTokens {
  /** Also removes the ids of tokens that have expired. */
  add(id: string, expiresAt: Date, now: Date): Promise<void>;
  has(id: string): Promise<boolean>;
}
