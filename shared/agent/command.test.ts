import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import {
  type CommandResult,
  decodeCommandList,
  decodeCommandQuery,
  decodeCommandRequest,
  decodeCommandResult,
  decodeFaultText,
  encodeCommandList,
  encodeCommandQuery,
  encodeCommandRequest,
  encodeCommandResult,
  encodeFault,
} from './command.ts';

const text = fc.string();
const count = fc.nat();
const result: fc.Arbitrary<CommandResult> = fc.record({
  id: fc.string({ minLength: 1 }),
  name: text,
  status: fc.constantFrom('RUNNING', 'SUCCEEDED', 'FAILED', 'CLEAN_VERSION_MISMATCH', 'SOMETHING_ELSE'),
  error: fc.option(fc.record({ type: text, code: count, message: text, details: text })),
  result: fc.option(fc.dictionary(text, text)),
  progress: fc.option(
    fc.record({
      phase: text,
      bytesDone: count,
      bytesTotal: fc.option(count),
      bytesPerSecond: fc.option(count),
    }),
  ),
}) as fc.Arbitrary<CommandResult>;
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a request', () => {
  it('is decoded to what was encoded', () => {
    const request = { name: 'standby.sync', params: { node: { uuid: 'n' } } };
    expect(encodeCommandRequest(request)).toEqual(request);
    expect(decodeCommandRequest(overTheWire(encodeCommandRequest(request)))).toEqual({
      ok: true,
      value: request,
    });
  });

  it.each([
    [null, 'name must be a string'],
    [[], 'name must be a string'],
    [{ name: 1, params: {} }, 'name must be a string'],
    [{ name: 'a.b' }, 'params must be an object'],
    [{ name: 'a.b', params: [] }, 'params must be an object'],
  ])('is refused as %j', (body, reason) => {
    expect(decodeCommandRequest(body)).toEqual({ ok: false, reason });
  });

  it('has a query with token and wait', () => {
    expect(encodeCommandQuery({ token: 't', wait: false })).toEqual({ wait: 'false', agent_token: 't' });
    expect(encodeCommandQuery({ token: null })).toEqual({});
    expect(decodeCommandQuery({ wait: 'True', agent_token: 't' })).toEqual({ token: 't', wait: true });
    expect(decodeCommandQuery({ wait: ['x'] })).toEqual({ token: null, wait: false });
  });
});

describe('a result', () => {
  it('has the keys of ironic-python-agent, in their order', () => {
    const done: CommandResult = {
      id: '1',
      name: 'write_image',
      status: 'RUNNING',
      error: null,
      result: null,
      progress: { phase: 'write', bytesDone: 1, bytesTotal: null, bytesPerSecond: 2 },
    };
    expect(JSON.stringify(encodeCommandResult(done))).toBe(
      '{"id":"1","command_name":"write_image","command_status":"RUNNING","command_error":null,"command_result":null,' +
        '"command_progress":{"phase":"write","bytes_done":1,"bytes_total":null,"bytes_per_second":2}}',
    );
    expect(encodeCommandResult({ ...done, progress: null })).not.toHaveProperty('command_progress');
  });

  it('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(fc.array(result), (commands) => {
        expect(decodeCommandList(overTheWire(encodeCommandList(commands)))).toEqual({
          ok: true,
          value: overTheWire(commands),
        });
      }),
    );
  });

  it('of another agent may lack optional fields and have additional ones', () => {
    const body = { id: '1', command_status: 'FAILED', command_error: 'it broke', serialized: true };
    expect(decodeCommandResult(body)).toEqual({
      ok: true,
      value: {
        id: '1',
        name: 'undefined',
        status: 'FAILED',
        error: { message: 'it broke' },
        result: null,
        progress: null,
      },
    });
    const odd = {
      ...body,
      command_error: { type: 1, details: 'why' },
      command_progress: { bytes_done: 'x' },
    };
    expect(decodeCommandResult(odd)).toMatchObject({
      value: { error: { details: 'why' }, progress: { phase: '', bytesDone: 0, bytesTotal: null } },
    });
  });

  it.each([
    [[], 'a command result must be an object'],
    [{ command_status: 'RUNNING' }, 'a command result must have an id'],
    [{ id: '1', command_status: 3 }, 'a command result must have a command_status'],
  ])('is rejected: %j', (body, reason) => {
    expect(decodeCommandResult(body)).toEqual({ ok: false, reason });
    expect(decodeCommandList({ commands: [body] })).toEqual({ ok: false, reason });
  });

  it('never throws on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const decode of [decodeCommandRequest, decodeCommandResult, decodeCommandList]) {
          expect(decode(body)).toHaveProperty('ok');
          expect(
            decode({ commands: [body], id: body, command_progress: body, command_error: body }),
          ).toHaveProperty('ok');
        }
      }),
    );
  });
});

it('decodes the text of an error, if there is one', () => {
  expect(decodeFaultText(encodeFault({ side: 'Client', text: 'no' }))).toBe('no');
  expect(encodeFault({ side: 'Server', text: 'no' })).toEqual({ faultcode: 'Server', faultstring: 'no' });
  expect(decodeFaultText({ message: 'of a framework' })).toBe('of a framework');
  for (const body of [null, [], 'x', { faultstring: 1 }]) expect(decodeFaultText(body)).toBeUndefined();
});
