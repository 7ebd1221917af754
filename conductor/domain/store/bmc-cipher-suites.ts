/** The strongest IPMI cipher suite that each BMC has been seen with, by `host:port`. It survives restarts. */
export interface BmcCipherSuites {
  seenAt(endpoint: string): Promise<number | undefined>;
  put(endpoint: string, suite: number): Promise<void>;
}
