/** The agent's version, sent to the conductor as `ingot/<version>`. */
export const VERSION = '0.1.0';
