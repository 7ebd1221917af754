/** `created_at` and `updated_at` as Neutron writes them: whole seconds of UTC. */
import type { Recorded } from '../../domain/resources.ts';

const second = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

export const timestamps = ({ createdAt, updatedAt }: Recorded) => ({
  created_at: second(createdAt),
  updated_at: second(updatedAt ?? createdAt),
});
