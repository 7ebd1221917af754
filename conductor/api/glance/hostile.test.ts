/** For any request the answer is not 5xx, and Glance's clients find a message in it. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestImageService,
  OCTETS,
  PATCH,
  type TestImageService,
} from '../../../test/fakes/compute/test-image-service.ts';
import { fc } from '../../../test/random-cases.ts';
import { READ_ONLY, WRITABLE } from './image-fields.ts';

let test: TestImageService;
let uuid: string;
beforeAll(async () => {
  test = await createTestImageService();
  uuid = await test.create({ os_distro: 'debian' });
});
afterAll(() => test.close());

const RUNS = 60;
const names = [...Object.keys(WRITABLE), ...Object.keys(READ_ONLY), 'locations', 'os_distro', '__proto__'];
const queryNames = ['limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'tag', 'size_min', 'created_at', 'id'];
const key = fc.oneof(fc.constantFrom(...names), fc.string());
const value = fc.oneof(fc.jsonValue(), fc.constantFrom('raw', 'in:"a,b', 'gt:', '\ud800', 2 ** 53, -1));
const operation = fc.record({
  op: fc.constantFrom('add', 'replace', 'remove', 'copy'),
  path: fc.oneof(
    key.map((name) => `/${name}`),
    fc.constantFrom('/tags/-', '/tags/0', '', '//'),
  ),
  value,
});

async function expectCalm(answer: ReturnType<TestImageService['call']>): Promise<void> {
  const { status, body } = await answer;
  expect(status).toBeLessThan(500);
  if (status >= 400)
    expect(body.error).toEqual({
      code: status,
      title: expect.any(String),
      message: expect.stringMatching(/\S/),
    });
}

it('as a new image', () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.dictionary(key, value), fc.json()), (body) =>
      expectCalm(test.call('POST', '/v2/images', body)),
    ),
    { numRuns: RUNS },
  ));

it('as a patch', () =>
  fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 4 }), (body) =>
      expectCalm(test.call('PATCH', `/v2/images/${uuid}`, body, undefined, PATCH)),
    ),
    { numRuns: RUNS },
  ));

it('as a query', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.oneof(fc.constantFrom(...queryNames), key),
          fc
            .oneof(
              fc.string(),
              value.map((one) => JSON.stringify(one)),
            )
            .map((text) => text.toWellFormed()),
        ),
        { maxLength: 4 },
      ),
      (pairs) =>
        expectCalm(
          test.call(
            'GET',
            `/v2/images?${new URLSearchParams(pairs.map(([name, text]): [string, string] => [name.toWellFormed(), text]))}`,
          ),
        ),
    ),
    { numRuns: RUNS },
  ));

it.each([
  ['POST', 'import'],
  ['POST', 'members'],
  ['PUT', 'members/blue'],
  ['PUT', 'file'],
  ['POST', 'actions/deactivate'],
  ['PUT', 'tags/%00'],
])('%s %s with a body of another kind', async (method, path) => {
  for (const body of ['null', '5', '[]', '{"method": null}', '{', '"\ud800"', '\0'])
    await expectCalm(test.call(method, `/v2/images/${uuid}/${path}`, body));
  await expectCalm(test.call(method, `/v2/images/${uuid}/${path}`, 'octets', undefined, OCTETS));
});
