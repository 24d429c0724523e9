import t from 'tap'
import { StoredChain } from '../../../../src/rpc/node/storedChain.ts'
import { SyntheticChain } from '../../../support/syntheticChain.ts'

t.test('hashes by height follow the chain as it grows, forks and shrinks', (t) => {
  const chain = new SyntheticChain(t)
  const reader = new StoredChain(chain.spec, chain.environment)
  const check = (height: number, name: string) => {
    reader.refresh()
    const heights = Array.from({ length: height + 1 }, (_, index) => index)
    const expected = heights.map((index) => chain.reader.hashByNumber(index) ?? Buffer.alloc(0))
    t.same(reader.hashesByNumber(heights), Buffer.concat(expected), name)
    t.throws(() => reader.hashesByNumber([height + 1]), RangeError, name)
    reader.release()
  }
  const none = (count: number) => Array.from({ length: count }, () => [])
  const first = chain.append(none(300))
  check(300, 'across chunks')
  chain.append(none(3))
  check(303, 'grown')
  const fork = first[297] ?? chain.genesis
  const branch = chain.extend(fork, none(10))
  chain.moveHead(branch.at(-1) ?? fork)
  check(308, 'another branch, longer')
  chain.moveHead(fork)
  check(298, 'shorter')
  chain.append(none(100))
  check(398, 'grown by more than is followed')
  t.end()
})
