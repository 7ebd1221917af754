import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { decodeHeartbeat, encodeHeartbeat, type Heartbeat } from './heartbeat.ts';

const OURS: Heartbeat = {
  callbackUrl: 'http://192.0.2.9:9999',
  version: 'ingot/1',
  token: 't',
  verifyCa: null,
  status: null,
  statusMessage: null,
};

it('leaves out null fields', () => {
  expect(JSON.stringify(encodeHeartbeat(OURS))).toBe(
    '{"callback_url":"http://192.0.2.9:9999","agent_version":"ingot/1","agent_token":"t"}',
  );
});

it('is decoded to what was encoded', () => {
  const text = fc.option(fc.string());
  const heartbeat: fc.Arbitrary<Heartbeat> = fc.record({
    callbackUrl: fc.string(),
    version: text,
    token: text,
    verifyCa: text,
    status: fc.constantFrom('start', 'end', 'error', null),
    statusMessage: text,
  });
  fc.assert(
    fc.property(heartbeat, (beat) => {
      expect(decodeHeartbeat(JSON.parse(JSON.stringify(encodeHeartbeat(beat))))).toEqual({
        ok: true,
        value: beat,
      });
    }),
  );
});

it.each([
  [null, 'a heartbeat must be an object'],
  [{}, 'callback_url must be a string'],
  [{ callback_url: 'x', agent_version: 1 }, 'agent_version must be a string'],
  [{ callback_url: 'x', agent_version: '1\n2' }, 'agent_version must be one line of at most 255 characters'],
  [{ callback_url: 'x', agent_status: 'late' }, 'Agent status is invalid. Valid states are start,end,error.'],
])('is refused as %j', (body, reason) => {
  expect(decodeHeartbeat(body)).toEqual({ ok: false, reason });
});

it('cuts the message of a status', () => {
  const beat = { callback_url: 'x', agent_status_message: 'x'.repeat(5000) };
  expect(decodeHeartbeat(beat)).toMatchObject({
    value: { statusMessage: expect.stringMatching(/^.{4096}$/) },
  });
});

it('ignores unknown fields and never throws', () => {
  expect(decodeHeartbeat({ callback_url: 'x', newer: [] })).toMatchObject({ ok: true });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeHeartbeat(value)).toHaveProperty('ok');
      expect(decodeHeartbeat({ callback_url: 'x', agent_token: value, agent_status: value })).toHaveProperty(
        'ok',
      );
    }),
  );
});
