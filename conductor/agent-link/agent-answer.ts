/**
 * Reads an answer of an agent: JSON of a bounded length and depth. The rest of a longer answer is never read.
 */
import { MOST_ANSWER_BYTES } from '@ingot/shared/agent/limits.ts';
import { IngotError } from '../domain/errors.ts';
import type { Json } from '../domain/json.ts';
import { depthExceeds, MAX_JSON_DEPTH } from '../domain/json-depth.ts';

/**
 * `what` names the command in errors. Throws agentFailure for an answer that is too long or nested too deep, and
 * SyntaxError for one that is no JSON. Leaving the loop closes the connection.
 */
export async function readAnswer(what: string, body: AsyncIterable<Uint8Array>): Promise<Json> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MOST_ANSWER_BYTES) {
      throw new IngotError(
        'agentFailure',
        `the agent's answer to ${what} is longer than ${MOST_ANSWER_BYTES / 1024 ** 2} MiB and was cut off`,
      );
    }
    chunks.push(chunk);
  }
  const answer = JSON.parse(Buffer.concat(chunks).toString()) as Json;
  if (!depthExceeds(answer, MAX_JSON_DEPTH)) return answer;
  throw new IngotError(
    'agentFailure',
    `the agent's answer to ${what} is nested deeper than ${MAX_JSON_DEPTH} levels`,
  );
}
