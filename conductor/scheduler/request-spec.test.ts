import { describe, expect, it } from 'vitest';
import { instanceRequest, type RequestChanges, requestSpec } from '../../test/fakes/scheduler.ts';
import { parseRequest, withMemberIn } from './request-spec.ts';

const specs = (extraSpecs: Record<string, string>): RequestChanges => ({ flavor: { extraSpecs } });

describe('parseRequest', () => {
  it('takes sizes from the flavor, or from its `resources:` specs', () => {
    const flavor = { vcpus: 2, ramMb: 512, rootGb: 3, ephemeralGb: 1, swapMb: 100 };
    expect(requestSpec({ flavor })).toMatchObject({ vcpus: 2, ramMb: 512, diskMb: 4 * 1024 + 100 });
    const extraSpecs = {
      'resources:VCPU': '0',
      'resources:MEMORY_MB': '0',
      'resources:DISK_GB': '5',
      'resources:CUSTOM_X': '1',
    };
    const spec = requestSpec({ flavor: { ...flavor, extraSpecs } });
    expect(spec).toMatchObject({ vcpus: 0, ramMb: 0, diskMb: 5 * 1024 });
    expect([...spec.resources]).toEqual([
      ['DISK_GB', 5],
      ['CUSTOM_X', 1],
    ]);
  });

  it.each<[RequestChanges, string]>([
    [{ instanceUuids: [] }, 'the request asks for no instance'],
    [{ instanceUuids: ['a', 'a'] }, 'an instance UUID is given twice'],
    [{ minCount: 2 }, 'min_count must be from 1 to 1, the number of instances'],
    [
      specs({ 'resources:CUSTOM_X': 'one' }),
      'extra spec resources:CUSTOM_X: the amount must be a whole number, not "one"',
    ],
    [
      specs({ 'resources:VCPU': '-1' }),
      'extra spec resources:VCPU: the amount must be a whole number, not "-1"',
    ],
    [specs({ 'trait:A': 'perhaps' }), 'extra spec trait:A: must be required or forbidden, not "perhaps"'],
    [
      { image: { uuid: 'i', properties: { 'trait:A': 'forbidden' } } },
      'image property trait:A: must be required, not "forbidden"',
    ],
    [
      { ...specs({ 'trait:A': 'forbidden' }), image: { uuid: 'i', properties: { 'trait:A': 'required' } } },
      'the trait A is both required and forbidden',
    ],
    [{ hints: { query: '{' } }, 'scheduler hint query: not JSON'],
    [{ hints: { query: '"x"' } }, 'scheduler hint query: must be a list that starts with an operator'],
  ])('refuses %j', (changes, reason) => {
    expect(parseRequest(instanceRequest(changes))).toEqual({ ok: false, reason });
  });

  it('counts a new member of the group, in another spec', () => {
    const group = { policy: 'affinity', maxServerPerHost: 1, members: new Map([['a', 1]]) } as const;
    const before = requestSpec({ group });
    expect(withMemberIn(withMemberIn(before, 'a'), 'b').group?.members).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    expect(before.group?.members).toEqual(new Map([['a', 1]]));
    expect(withMemberIn(requestSpec(), 'a').group).toBeUndefined();
  });
});
