import t from 'tap'
import { checkHistory, type FinalState, type HistoryEntry, type ShownBlock } from './clientHistory.ts'

const block = (number: number, weight = number * 10): ShownBlock => ({
  number,
  hash: `h${number}`,
  parentHash: `h${number - 1}`,
  totalDifficulty: BigInt(weight),
})
const blocks = new Map([1, 2, 3, 4].map((number) => [`h${number}`, block(number)]))
const head = (at: number, shown: ShownBlock, took = 1): HistoryEntry => ({
  kind: 'head',
  member: 'm0',
  began: at,
  ended: at + took,
  block: shown,
})
const polled = (...polls: (readonly string[] | null)[]): readonly HistoryEntry[] =>
  polls.map((hashes) => ({ kind: 'polled', at: 'm0', filter: 'f', hashes }))
const final = (
  unknown: Readonly<Record<string, readonly string[]>> = {},
  hit: readonly string[] = [],
): FinalState => ({
  unknown: new Map(Object.entries(unknown)),
  blocks,
  hit: new Set(hit),
})

t.test('the head of a member goes back to a heavier block alone', (t) => {
  t.same(checkHistory([head(0, block(1)), head(5, block(2)), head(9, block(2))], final()), [])
  t.same(checkHistory([head(0, block(3)), head(5, block(2, 31))], final()), [], 'a heavier branch')
  t.same(checkHistory([head(0, block(2), 10), head(5, block(1))], final()), [], 'at the same time')
  t.match(checkHistory([head(0, block(3)), head(5, block(2))], final()), [/m0 went back from block 3 to 2/])
  t.end()
})

t.test('what was acknowledged is known at all', (t) => {
  const history: HistoryEntry[] = [{ kind: 'acknowledged', at: 'm0', hash: 'x' }]
  t.same(checkHistory(history, final({ m0: [], m1: ['y'] })), [], 'y was not')
  t.match(checkHistory(history, final({ m0: [], m1: ['x'] })), [/m1 has lost the transaction x/])
  t.end()
})

t.test('polls tell each block once', (t) => {
  t.same(checkHistory(polled(['h1', 'h2'], [], ['h3'], ['h4']), final()), [])
  t.same(checkHistory(polled(['h1'], null, ['h1', 'h2'], ['h3']), final()), [], 'again where no answer came')
  t.same(
    checkHistory(polled(['h1'], ['h1', 'h2']), final({}, ['m0'])),
    [],
    'the member that forwarded it was hit',
  )
  t.match(checkHistory(polled(['h1'], ['h1', 'h2']), final()), [/told h1 twice/])
  t.match(checkHistory(polled(['h1'], null, ['h3']), final()), [/did not tell block 2/])
  t.end()
})
