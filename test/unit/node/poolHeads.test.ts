import t from 'tap'
import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import { main } from '../../../src/config/networks/main.ts'
import { regtest } from '../../../src/config/networks/regtest.ts'
import type { OpenChain } from '../../../src/execution/openChain.ts'
import { PoolHeads } from '../../../src/node/chainThread/poolHeads.ts'

const HEADER = {
  number: 7,
  hash: Buffer.alloc(32, 7),
  gasLimit: 6_800_000n,
  fields: { gasUsed: 0n, minimumGasPrice: 1000n, stateRoot: Buffer.alloc(32, 1) },
} as unknown as BlockHeader
const OPEN = { nativeSpec: {}, stateStore: { editedRoot: () => null } } as unknown as OpenChain

/** A policy that counts how often it is asked for its target of the gas limit. */
function countedPolicy() {
  const policy = {
    asked: 0,
    limit: 6_800_000n,
    minimumGasPrice: 5000n,
    get gasLimit() {
      policy.asked += 1
      return policy.limit
    },
  }
  return policy
}

t.test('limits of the next block are worked out once for a head, and anew when the policy changes', (t) => {
  const heads = new PoolHeads(regtest, OPEN, () => true)
  const policy = countedPolicy()
  heads.policy = policy
  const head = heads.of(HEADER)
  const first = head.minimumGasPrice
  t.ok(first > 1000n, 'the price goes towards the target')
  const working = policy.asked
  t.equal(head.minimumGasPrice, first)
  t.equal(head.transactionGasLimit, 6_800_000n)
  t.equal(policy.asked - working, 2, 'afterwards the policy is compared, and nothing else is asked of it')
  policy.minimumGasPrice = 1000n
  t.equal(head.minimumGasPrice, 1000n, 'another target counts at once')
  policy.limit = 3_000_000n
  t.ok(head.transactionGasLimit < 6_800_000n)
  t.equal(heads.priceTarget, 1000n)
  t.end()
})

t.test('limits are those of the head where others make the blocks', (t) => {
  let isMaker = false
  const heads = new PoolHeads(regtest, OPEN, () => isMaker)
  heads.policy = countedPolicy()
  const head = heads.of(HEADER)
  t.equal(head.minimumGasPrice, 1000n)
  t.equal(heads.priceTarget, null)
  isMaker = true
  t.ok(head.minimumGasPrice > 1000n, 'from the moment on in which this node makes them')
  const ofMain = new PoolHeads(main, OPEN, () => true)
  ofMain.policy = countedPolicy()
  t.equal(ofMain.of({ ...HEADER, number: 9_000_000 } as BlockHeader).minimumGasPrice, 1000n)
  t.end()
})
