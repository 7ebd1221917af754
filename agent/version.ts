/** The agent's version, told to the conductor as `ingot/<version>`. */
export const VERSION = '0.1.0';
