import t from 'tap'
import { Block } from '../../../src/chain/codec/block.ts'
import { sealInProcess } from '../../../src/mining/seal.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

const TO = Buffer.alloc(20, 7)

t.test(
  'before RSKIP126 a side block that repeats a root leaves the state of the other block alone',
  async (t) => {
    const heights = { ...REGTEST.activationHeights, rskip126: 1000 }
    const { core } = openLocalNode(t, { dataDir: testFolder(t) }, { chain: { activationHeights: heights } })
    const { chain, stateStore } = core.open
    const other = core.pendingBlock().block
    await core.sendTransaction(signedTransaction({ to: TO, value: 5n }).encoded)
    const { head } = chain
    const root = stateRootAfter(core.spec, stateStore, head)
    const account = stateStore.account(root, TO)
    t.not(account, null)
    const repeated = sealInProcess(
      new Block(other.header.with({ stateRoot: head.fields.stateRoot }), other.transactions, other.uncles),
    )
    t.not(repeated.hashHex, head.hashHex)
    t.equal(chain.connect(repeated).status, 'IMPORTED_NOT_BEST')
    t.same(stateRootAfter(core.spec, stateStore, head), root)
    t.notSame(stateRootAfter(core.spec, stateStore, repeated.header), root)
  },
)
