import { expect, it } from 'vitest';
import { createTestApi } from '../../../test/fakes/api.ts';
import { readHostStates } from './host-states.ts';

it('a child node is not a host', async () => {
  const test = await createTestApi();
  const made = (fields: object) =>
    test.engine.createNode({
      driver: 'fake-hardware',
      interfaces: {},
      fields: { resourceClass: 'g', ...fields },
    });
  const { uuid } = await made({});
  await made({ parentNode: uuid });
  const states = await readHostStates({
    store: test.store,
    engine: test.engine,
    now: () => new Date(),
    images: { cached: async () => new Set() },
    settings: { host: 'h', serviceDownMs: 1, defaultAvailabilityZone: 'a', domainCapability: 'd' },
  } as unknown as Parameters<typeof readHostStates>[0]);
  expect(JSON.stringify(states).includes(uuid)).toBe(true);
  expect(states).toHaveLength(1);
  await test.close();
});
