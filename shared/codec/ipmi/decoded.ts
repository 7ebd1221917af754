/** The results of the decoders of IPMI messages. */
import { bad } from '../../decoded.ts';

export { bad, type Decoded, good } from '../../decoded.ts';

/** The result for bytes that end too early. */
export const short = (what: string, needed: number, got: number) =>
  bad(`${what}: ${got} bytes, at least ${needed} needed`);
