import { describe, expect, it } from 'vitest';
import type { NodePatch } from '../../domain/node.ts';
import { MASK } from '../../domain/secrets.ts';
import { decode, encode, type ShownRow, shownPart, sortedBy } from './node-rows.ts';

const AT = new Date('2026-01-01T00:00:00Z');
const SESSION = {
  url: 'http://a',
  token: 't',
  version: 'ingot/1',
  verifyCa: null,
  proven: false,
  lastHeartbeatAt: AT,
};
const HELD = { holder_owner: 'here', holder_purpose: 'power', holder_since: 1, holder_deadline: 2 };
const HOLDER = { owner: 'here', purpose: 'power', since: new Date(1), deadline: new Date(2) };
const row = (more: object): ShownRow => ({ agent_present: null, holder_owner: null, ...more });
const written = (patch: NodePatch) => encode(patch, {});

describe('the agent session', () => {
  const { values, secrets } = written({ agent: SESSION, driverInfo: { ipmi_password: 'p' } });

  it('is in columns of its own, its token sealed with the secrets of the node', () => {
    expect(values).toMatchObject({ agent_present: 1, agent_url: 'http://a', agent_token: MASK });
    expect([...secrets.put.keys()].toSorted()).toEqual(['/agentToken', '/driverInfo/ipmi_password']);
    expect(decode(row(values), secrets.put).agent).toEqual(SESSION);
    expect(decode(row(values), undefined).agent).toEqual({ ...SESSION, token: MASK });
  });

  it('ends with all it had', () => {
    const ended = written({ agent: null });
    expect(ended.values).toMatchObject({ agent_present: 0, agent_url: null, agent_token: null });
    expect(ended.secrets.fields).toContain('agentToken');
    expect(decode(row(ended.values), undefined).agent).toBeNull();
  });

  it('is not touched by a change of something else', () => {
    expect(written({ name: 'one' }).values).toEqual({ name: 'one' });
  });

  it('is there before the agent has said anything', () => {
    const silent = {
      url: null,
      token: 't',
      version: null,
      verifyCa: null,
      proven: false,
      lastHeartbeatAt: null,
    };
    const session = written({ agent: silent });
    expect(decode(row(session.values), session.secrets.put).agent).toEqual(silent);
  });
});

it('the times of a write go with it', () => {
  expect(encode({ name: 'one' }, { updatedAt: AT }).values).toEqual({
    name: 'one',
    updated_at: AT.getTime(),
  });
});

it.each([
  [row(HELD), HOLDER],
  [row({}), null],
])('who holds %j: %j', (from, holder) => {
  expect(decode(from, undefined).holder).toEqual(holder);
});

describe('of the fields', () => {
  it.each([
    [['name'], ['name'], { name: 'one' }],
    [['holder'], Object.keys(HELD), { holder: HOLDER }],
    [['name', 'agent'], ['name', 'agent_present', 'agent_token'], { name: 'one', agent: null }],
  ] as const)('%j these columns are read: %j', (fields, columns, shown) => {
    const part = shownPart<'name' | 'holder' | 'agent'>(fields);
    expect(part.columns).toEqual(expect.arrayContaining([...columns]));
    expect(part.columns.some((column) => column.startsWith('holder_'))).toBe('holder' in shown);
    expect(part.columns.some((column) => column.startsWith('agent_'))).toBe('agent' in shown);
    expect(part.decode(row({ name: 'one', ...HELD }))).toEqual(shown);
  });
});

it('a reservation is sorted by its holder', () => {
  const by = (sortKey: string) => sortedBy({ sortKey, sortDir: 'asc', limit: null });
  expect([by('reservation'), by('provisionState')]).toEqual(['holder_owner', 'provision_state']);
  expect(() => by('driverInfo')).toThrow('Sorting by driverInfo is not possible.');
});
