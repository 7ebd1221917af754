/** Tests which writes are committed together, and when their callers get their result. */
import SqliteFile from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommitGroup } from './commit-group.ts';

let file: SqliteFile.Database;
let mayCommit: boolean;
beforeEach(() => {
  file = new SqliteFile(':memory:');
  file.exec('create table rows (id integer primary key)');
  mayCommit = true;
});
afterEach(() => file.close());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const newGroup = () => createCommitGroup(file, () => mayCommit);
const rows = () => file.prepare('select id from rows order by id').pluck().all();

/** Writes a row, and appends its id to `order` when it is committed. */
function write(group: ReturnType<typeof newGroup>, id: number, order: unknown[] = []): Promise<void> {
  group.join();
  file.prepare('insert into rows values (?)').run(id);
  return group.committed().then(() => void order.push(id));
}

it('nothing waits when nothing is open', async () => {
  const group = newGroup();
  await group.committed();
  group.commitIfDue();
  await group.close();
  expect(file.inTransaction).toBe(false);
});

it('the writes of one turn are one transaction, which ends with the turn', async () => {
  const group = newGroup();
  const order: number[] = [];
  const writes = [write(group, 1, order), write(group, 2, order)];
  await Promise.resolve();
  expect([file.inTransaction, order]).toEqual([true, []]);
  await Promise.all(writes);
  expect([file.inTransaction, order]).toEqual([false, [1, 2]]);
  await write(group, 3, order);
  expect(rows()).toEqual([1, 2, 3]);
});

it('a large group does not wait for the end of the turn', () => {
  const group = newGroup();
  const writes: Promise<void>[] = [];
  for (let id = 1; id < 256; id += 1) writes.push(write(group, id));
  expect(file.inTransaction).toBe(true);
  writes.push(write(group, 256));
  expect(file.inTransaction).toBe(false);
  return Promise.all(writes);
});

it('an open transaction keeps its group open beyond the turn', async () => {
  const group = newGroup();
  const order: number[] = [];
  mayCommit = false;
  const written = write(group, 1, order);
  await nextTurn();
  group.commitIfDue();
  expect([file.inTransaction, order]).toEqual([true, []]);
  mayCommit = true;
  group.commitIfDue();
  await written;
  expect([file.inTransaction, order]).toEqual([false, [1]]);
});

it('a group that SQLite has rolled back by itself is refused, and the next is its own', async () => {
  const group = newGroup();
  const lost = write(group, 1);
  file.exec('rollback');
  const next = write(group, 2);
  await expect(lost).rejects.toThrow('SQLite has rolled the group back');
  await next;
  expect(rows()).toEqual([2]);
});

it('closing commits what is open', async () => {
  const group = newGroup();
  const written = write(group, 1);
  await group.close();
  await written;
  expect([file.inTransaction, rows()]).toEqual([false, [1]]);
});

describe('with a log of its own', () => {
  const flushes: PromiseWithResolvers<void>[] = [];
  const log = {
    flush() {
      const one = Promise.withResolvers<void>();
      flushes.push(one);
      return one.promise;
    },
    close: () => undefined,
  };
  beforeEach(() => void flushes.splice(0));

  it('a reader between commit and flush waits for the flush', async () => {
    const group = createCommitGroup(file, () => mayCommit, log);
    const order: unknown[] = [];
    const written = write(group, 1, order);
    await nextTurn();
    const read = group.committed().then(() => order.push('reader'));
    await nextTurn();
    expect([file.inTransaction, order]).toEqual([false, []]);
    flushes[0]!.resolve();
    await Promise.all([written, read]);
    expect(order).toEqual([1, 'reader']);
  });

  it('a flush that fails is the failure of its group alone', async () => {
    const group = createCommitGroup(file, () => mayCommit, log);
    const written = write(group, 1);
    await nextTurn();
    flushes[0]!.reject(new Error('the disk is gone'));
    await expect(written).rejects.toThrow('the disk is gone');
    const next = write(group, 2);
    await nextTurn();
    flushes[1]!.resolve();
    await next;
  });

  it('closing waits for the flush at work and for its own', async () => {
    const group = createCommitGroup(file, () => mayCommit, log);
    const first = write(group, 1);
    await nextTurn();
    const second = write(group, 2);
    let closed = false;
    const closing = group.close().then(() => {
      closed = true;
    });
    await nextTurn();
    expect([closed, flushes.length]).toEqual([false, 1]);
    flushes[0]!.resolve();
    await first;
    await nextTurn();
    expect([closed, flushes.length]).toEqual([false, 2]);
    flushes[1]!.resolve();
    await Promise.all([second, closing]);
    expect(closed).toBe(true);
  });
});
