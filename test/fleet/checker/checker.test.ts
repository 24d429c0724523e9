import t from 'tap'
import { createRandom } from '../../support/random.ts'
import { checkHistory } from './check.ts'
import { type Entry, historyOf, type Line, logName, type Operation, type Outcome } from './history.ts'

/** Blocks are named by letters; `b` and `B` are siblings. */
const PARENTS: Readonly<Record<string, string>> = { a: '', b: 'a', c: 'b', B: 'a', C: 'B', D: 'C' }
const ADDRESS = '0x01'

const numberOf = (name: string): number =>
  PARENTS[name] === undefined || PARENTS[name] === '' ? 1 : numberOf(PARENTS[name] as string) + 1

/** The blocks, with a log each, and the heads in this order. */
function chain(heads: string): Line[] {
  return [
    ...Object.entries(PARENTS).map(
      ([hash, parent]): Line => ({
        type: 'block',
        number: numberOf(hash),
        hash,
        parent,
        logs: [{ name: logName(hash, 0, false), address: ADDRESS, transaction: `t-${hash}` }],
      }),
    ),
    ...[...heads].map((hash): Line => ({ type: 'head', number: numberOf(hash), hash })),
  ]
}

/** A request from one time to another. */
function entry(
  begin: number,
  end: number,
  operation: Operation,
  value: unknown,
  more: Partial<Entry> = {},
): Entry {
  const outcome = (value === undefined ? { kind: 'unknown' } : { kind: 'answered', value }) as Outcome
  return { type: 'entry', client: 0, member: 0, operation, begin, end, outcome, ...more }
}

const sees = (begin: number, end: number, hash: string): Entry =>
  entry(begin, end, { kind: 'head' }, null, { head: { number: numberOf(hash), hash } })
const counts = (begin: number, end: number, value: number): Entry =>
  entry(begin, end, { kind: 'count', account: '0xaa' }, value)
const sends = (begin: number, end: number, nonce: number, hash = `t${nonce}`): Entry =>
  entry(begin, end, { kind: 'send', hash, account: '0xaa', nonce }, hash)
const final = (member: number, hash: string, where: string | null): Line => ({
  type: 'final',
  member,
  what: 'transaction',
  hash,
  where,
})
const makes = (begin: number, end: number, of: 'blocks' | 'logs' | 'transactions'): Entry =>
  entry(begin, end, { kind: 'newFilter', of, address: of === 'logs' ? ADDRESS : null }, '0xf1')
const polls = (begin: number, end: number, value: readonly string[] | undefined): Entry =>
  entry(begin, end, { kind: 'poll', filter: '0xf1', owner: 0 }, value)
const uses = (begin: number, end: number, more: Partial<Entry> = {}): Entry =>
  entry(begin, end, { kind: 'other', method: 'eth_chainId' }, null, { key: 'ada', units: 1, ...more })
const shows = (begin: number, value: number, more: Partial<Entry> = {}): Entry =>
  entry(begin, begin + 1, { kind: 'usage', key: 'ada' }, value, more)
const key = (more: object): Line => ({
  ...{
    type: 'key',
    key: 'ada',
    used: { least: 0, most: 0 },
    rate: 0,
    burst: 0,
    quota: 0,
    overshoot: 0,
    quotaOvershoot: 0,
    revokedWithin: 100,
  },
  ...more,
})

/** The rules that a history breaks. */
const broken = (...lines: readonly Line[]) => [
  ...new Set(checkHistory(historyOf(lines)).map(({ rule }) => rule)),
]
const messages = (...lines: readonly Line[]) => checkHistory(historyOf(lines)).map(({ message }) => message)

t.test('heads', (t) => {
  t.same(broken(...chain('abc'), sees(0, 1, 'a'), sees(2, 3, 'b'), sees(4, 5, 'c')), [])
  t.same(broken(...chain('abc'), sees(0, 1, 'b'), sees(2, 3, 'a')), ['head'], 'back')
  t.same(broken(...chain('abc'), sees(0, 3, 'b'), sees(2, 5, 'a')), [], 'at the same time, either order')
  t.same(broken(...chain('abc'), sees(0, 9, 'a'), sees(1, 2, 'c'), sees(3, 4, 'c')), [])
  t.same(
    broken(...chain('abc'), sees(0, 9, 'c'), sees(1, 2, 'b'), sees(3, 4, 'a')),
    ['head'],
    'within a long one',
  )
  t.same(broken(...chain('abBC'), sees(0, 1, 'b'), sees(2, 3, 'B')), [], 'a reorganisation that is recorded')
  t.same(broken(...chain('abBC'), sees(0, 1, 'C'), sees(2, 3, 'b')), ['head'], 'back to the branch it left')
  t.same(broken(...chain('abc'), sees(0, 1, 'B')), ['head'], 'a block that never was the head')
  const asked = (begin: number, number: number) =>
    entry(begin, begin + 1, { kind: 'head' }, null, { head: { number, hash: null } })
  t.same(broken(...chain('abc'), asked(0, 3), asked(2, 2)), ['head'], 'numbers alone')
  t.same(broken(...chain('abc'), asked(0, 2), asked(2, 3)), [])
  t.same(broken(...chain('aabbc'), sees(0, 1, 'a'), sees(2, 3, 'a')), [], 'a head that was written again')
  t.end()
})

t.test('an order is found where there is one, and none where there is none', (t) => {
  const random = createRandom(5)
  const heads = 'abcBCD'
  for (let run = 0; run < 300; run += 1) {
    const seen = Array.from({ length: 40 }, () => {
      const [begin, length, within] = [random() * 100, random() * 30, random()]
      const place = Math.floor(((begin + length * within) / 130) * heads.length)
      return sees(begin, begin + length, heads[place] ?? 'D')
    })
    t.same(broken(...chain(heads), ...seen), [])
    const late = sees(200, 201, heads[Math.floor(random() * 5)] ?? 'a')
    t.same(broken(...chain(heads), ...seen, sees(190, 191, 'D'), late), ['head'])
  }
  t.end()
})

t.test('pending counts', (t) => {
  const at = ['t0', 't1', 't2'].map((hash) => final(0, hash, 'pool'))
  t.same(broken(counts(0, 1, 1), counts(2, 3, 1), counts(4, 5, 3)), [])
  t.same(broken(counts(0, 1, 2), counts(2, 3, 1)), ['count'])
  t.same(broken(counts(0, 4, 2), counts(2, 3, 1)), [], 'at the same time')
  t.same(broken(...at, sends(0, 1, 0), counts(2, 3, 0)), ['count'], 'an acknowledged one is not counted')
  t.same(broken(...at, sends(0, 1, 1), counts(2, 3, 0), sends(4, 5, 0), counts(6, 7, 2)), [], 'behind a gap')
  t.same(broken(...at, sends(0, 1, 1), sends(4, 5, 0), counts(6, 7, 1)), ['count'], 'the gap is filled')
  t.end()
})

t.test('what was acknowledged is there in the end', (t) => {
  const head = chain('ab')
  t.same(broken(...head, sends(0, 1, 0), final(0, 't0', 'b'), final(1, 't0', 'b')), [])
  t.same(broken(...head, sends(0, 1, 0), final(0, 't0', 'pool'), final(1, 't0', 'pool')), [])
  t.same(broken(...head, sends(0, 1, 0), final(0, 't0', 'b'), final(1, 't0', null)), ['acknowledged'])
  t.same(broken(...head, sends(0, 1, 0), final(0, 't0', 'b'), final(1, 't0', 'pool')), ['acknowledged'])
  t.same(broken(...head, sends(0, 1, 0), final(0, 't0', 'B'), final(1, 't0', 'B')), ['acknowledged'])
  t.same(broken(...head, sends(0, 1, 0)), ['acknowledged'], 'nobody was asked')
  const send = { kind: 'send', hash: 't0', account: '0xaa', nonce: 0 } as const
  t.same(broken(...head, entry(0, 1, send, 't9'), final(0, 't9', 'b')), ['acknowledged'], 'another hash')
  t.same(
    broken(...head, entry(0, 1, send, undefined), final(0, 't0', null)),
    [],
    'no answer promises nothing',
  )
  const block = (member: number, hash: string, where: string | null): Line => ({
    ...{ type: 'final', member, what: 'block', hash, where },
    ...(where === null ? {} : { number: numberOf(hash) }),
  })
  const solved = (hash: string) => entry(0, 1, { kind: 'solution' }, hash)
  t.same(broken(...head, solved('b'), block(0, 'b', 'b'), block(1, 'b', 'b')), [])
  t.same(broken(...head, solved('b'), block(0, 'b', 'b'), block(1, 'b', null)), ['acknowledged'])
  t.same(
    broken(...head, solved('B'), block(0, 'B', null), block(1, 'B', 'B')),
    [],
    'another one has its height',
  )
  t.same(broken(...head, solved('B'), block(0, 'B', null), block(1, 'B', null)), ['acknowledged'])
  t.same(
    broken(...head, solved('c'), block(0, 'c', 'c'), block(1, 'c', 'c')),
    ['acknowledged'],
    'no head had it',
  )
  t.end()
})

t.test('filters of blocks', (t) => {
  const run = (...lines: readonly Line[]) => messages(...chain('abc'), makes(0, 1, 'blocks'), ...lines)
  const start = sees(1.1, 1.5, 'a')
  t.same(run(start, polls(2, 3, ['b', 'c']), polls(4, 5, [])), [])
  t.same(run(start, polls(2, 3, ['b']), polls(4, 5, ['c'])), [])
  t.match(run(start, polls(2, 3, ['b']), polls(4, 5, ['b', 'c'])), [/tells b twice/])
  t.match(run(start, polls(2, 3, ['c'])), [/where \[b\] is due/])
  t.match(run(start, polls(2, 3, ['c', 'b'])), [/is due/], 'in another order')
  t.match(run(start, polls(2, 3, ['B'])), [/never happened/])
  t.match(
    run(start, sees(2, 3, 'b'), polls(4, 5, [])),
    [/tells \[\] where \[b\] is due/],
    'behind a head that was seen',
  )
  t.match(run(start, polls(2, 3, ['b', 'c']), sees(4, 5, 'b')), [/is due/], 'ahead of heads that come later')
  t.same(
    run(start, polls(2, 3, undefined), polls(4, 5, ['c'])),
    [],
    'it went with the poll without an answer',
  )
  t.same(run(start, polls(2, 3, undefined), polls(4, 5, ['b', 'c'])), [], 'it did not')
  t.same(
    run(start, polls(2, 3, undefined), polls(4, 5, ['b']), sees(6, 7, 'c'), polls(8, 9, [])),
    [],
    'it did later',
  )
  t.match(
    run(start, polls(2, 3, ['b']), polls(4, 5, undefined), polls(6, 7, ['b', 'c'])),
    [/tells b twice/],
    'no answer is no reason to tell again',
  )
  const refusal = { kind: 'refused', code: -32_000, message: '' } as const
  const refused = { ...polls(2, 3, undefined), outcome: refusal }
  t.match(run(start, refused, polls(4, 5, ['c'])), [/is due/], 'its owner refused, so that nothing was told')
  t.same(
    run(start, { ...refused, member: 1 }, polls(4, 5, ['c'])),
    [],
    'another one may have lost the answer',
  )
  t.end()
})

t.test('filters of logs through a reorganisation', (t) => {
  const run = (...lines: readonly Line[]) =>
    broken(...chain('abC'), makes(0, 1, 'logs'), sees(1.1, 1.5, 'a'), ...lines)
  t.same(run(polls(2, 3, ['B:0', 'C:0'])), [], 'what came and went between two polls is not told of')
  t.same(run(polls(2, 3, ['b:0', 'b:0:removed', 'B:0', 'C:0'])), ['filter'])
  t.same(run(polls(2, 3, ['b:0']), polls(4, 5, ['b:0:removed', 'B:0', 'C:0'])), [])
  t.same(run(polls(2, 3, ['b:0']), polls(4, 5, ['B:0', 'C:0'])), ['filter'], 'without what was taken back')
  t.end()
})

t.test('filters of transactions', (t) => {
  const there = [final(0, 't0', 'pool'), final(0, 't1', 'pool')]
  const run = (...lines: readonly Line[]) => messages(...there, makes(0, 1, 'transactions'), ...lines)
  t.same(run(sends(2, 3, 0), polls(4, 5, ['t0']), sends(6, 7, 1), polls(8, 9, ['t1'])), [])
  t.match(run(sends(2, 3, 0), polls(4, 5, ['t0']), polls(8, 9, ['t0'])), [/twice/])
  t.match(run(sends(2, 3, 0), polls(4, 5, [])), [/does not tell t0/])
  const again = [polls(4, 5, ['t-b']), polls(8, 9, ['t-b'])]
  t.match(run(...chain('abc'), ...again), [/twice/])
  t.same(run(...chain('abC'), ...again), [], 'a reorganisation gave it back')
  t.match(run(...chain('abC'), sees(2, 3, 'C'), ...again), [/twice/], 'but not one before both')
  t.same(run(sends(2, 3, 0), polls(4, 5, undefined), polls(6, 7, [])), [])
  const later = [sends(2000, 2001, 0), polls(2002, 2003, [])]
  t.match(run(polls(4, 5, undefined), ...later), [/does not tell t0/], 'sent when that poll was over')
  const fault: Line = { type: 'fault', what: 'stop', killed: [], begin: 2, end: 10, healed: 1500 }
  t.same(run(fault, polls(4, 5, undefined), ...later), [], 'it may have been done when all was well again')
  t.end()
})

t.test('subscriptions to heads', (t) => {
  const told = (at: number, hash: string, isFirst = false) =>
    entry(
      at,
      at,
      { kind: 'told', number: numberOf(hash), parent: isFirst ? null : (PARENTS[hash] ?? '') },
      hash,
    )
  const run = (heads: string, ...lines: readonly Line[]) =>
    messages(...chain(heads), told(0, 'a', true), ...lines)
  t.same(run('abc', told(1, 'b'), told(2, 'c')), [])
  t.match(run('abc', told(1, 'c')), [/not of its parent b/])
  t.match(run('abc', told(1, 'b'), told(2, 'c'), told(3, 'c')), [/told of c again/])
  t.match(run('abc', told(1, 'b'), told(2, 'c'), told(3, 'b')), [/told of b again/])
  t.match(run('abc', told(1, 'b')), [/not of c, the head in the end/])
  t.match(run('abc', told(1, 'b'), told(2, 'B')), [/on no chain/])
  t.same(run('abC', told(1, 'b'), told(2, 'B'), told(3, 'C')), [], 'a reorganisation')
  t.same(run('abC', told(1, 'B'), told(2, 'C')), [], 'what was taken away between two connections')
  t.match(run('abC', told(1, 'b'), told(2, 'C')), [/not of its parent B/])
  t.match(run('aBCb', told(1, 'B'), told(2, 'b'), told(3, 'B')), [/had gone away/])
  t.end()
})

t.test('searches of logs', (t) => {
  const search = (begin: number, from: number, to: number, value: readonly string[]) =>
    entry(begin, begin + 1, { kind: 'logs', from, to, address: ADDRESS }, value)
  const run = (...lines: readonly Line[]) => broken(...chain('abC'), ...lines)
  t.same(run(sees(0, 1, 'b'), search(2, 1, 2, ['a:0', 'b:0'])), [])
  t.same(run(sees(0, 1, 'b'), search(2, 1, 2, ['a:0', 'B:0'])), [], 'it may be of the head that comes next')
  t.same(run(sees(0, 1, 'C'), search(2, 1, 2, ['a:0', 'b:0'])), ['logs'], 'of a head that is gone')
  t.same(run(sees(0, 1, 'b'), search(2, 1, 2, ['a:0'])), ['logs'], 'cut short')
  t.same(run(sees(0, 1, 'b'), search(2, 1, 2, [])), ['logs'], 'empty')
  t.same(run(search(2, 1, 2, [])), [], 'nobody had seen that there is so much')
  t.end()
})

t.test('usage', (t) => {
  const three = [uses(0, 1), uses(2, 3), uses(4, 5)]
  const last = (value: number) => shows(5000, value, { healed: true })
  t.same(broken(...three, shows(6, 1), last(3)), [])
  t.same(broken(...three, last(2)), ['usage'], 'less than was answered')
  t.same(broken(...three, last(4)), ['usage'], 'more than was asked')
  t.same(broken(...three, shows(6, 3), shows(8, 2)), ['usage'], 'back')
  t.same(broken(key({ used: { least: 5, most: 5 } }), ...three, last(8)), [], 'with what was used before')
  t.same(broken(key({ used: { least: 5, most: 5 } }), ...three, last(7)), ['usage'])
  const lost = uses(6, 7, { outcome: { kind: 'unknown' } })
  t.same(broken(...three, lost, last(3)), [], 'one without an answer may count')
  t.same(broken(...three, lost, last(4)), [], 'or not')
  const kill: Line = { type: 'fault', what: 'kill', killed: [0], begin: 500, end: 600 }
  t.same(broken(...three, kill, last(0)), [], 'a member was killed within a second')
  t.same(broken(...three, { ...kill, killed: [1] }, last(0)), ['usage'], 'but another one')
  t.end()
})

t.test('rates, quotas and keys that are revoked', (t) => {
  const many = (count: number, apart: number) =>
    Array.from({ length: count }, (_, at) => uses(at * apart, at * apart + 1))
  t.same(broken(key({ rate: 100, burst: 10 }), ...many(10, 0)), [])
  t.same(broken(key({ rate: 100, burst: 10 }), ...many(12, 0)), ['rate'])
  t.same(broken(key({ rate: 100, burst: 10, overshoot: 2 }), ...many(12, 0)), [])
  t.same(broken(key({ rate: 100, burst: 10 }), ...many(200, 10)), [], 'at its rate for two seconds')
  t.same(broken(key({ rate: 100, burst: 10 }), ...many(200, 9)), ['rate'], 'above it')
  t.same(
    broken(key({ rate: 100, burst: 10 }), ...many(50, 100), ...many(12, 0)),
    ['rate'],
    'a burst amid calm',
  )
  t.same(broken(key({ quota: 20 }), ...many(20, 1)), [])
  t.same(broken(key({ quota: 20 }), ...many(21, 1)), ['quota'])
  t.same(broken(key({ quota: 20, quotaOvershoot: 1 }), ...many(21, 1)), [])
  const revoke = entry(0, 10, { kind: 'revoke', key: 'ada' }, null)
  t.same(broken(key({}), revoke, uses(100, 101)), [])
  t.same(broken(key({}), revoke, uses(111, 112)), ['key'])
  t.end()
})

t.test('what is asked in the end has to be answered', (t) => {
  t.same(broken(...chain('a'), { ...sees(0, 1, 'a'), healed: true }), [])
  const lost = entry(0, 1, { kind: 'head' }, undefined, { healed: true })
  t.same(broken(...chain('a'), lost), ['healed'])
  t.end()
})
