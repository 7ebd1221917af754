/** The key that signs our tokens: anyone who can read it can forge them. */
import { readSymmetricKey } from '../own-key/own-key.ts';

/** Made at the first start. Throws when the file contains no key or when other users can read it. */
export const readTokenKey = (path: string): Buffer => readSymmetricKey(path, 'All tokens become invalid');
