import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { type AccountProofAnswer, verifyAccountProof } from '../../../proof/accountProof.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

/** Stores 7 in cell 1 and 8 in cell 2 when it is created, and returns no code. */
const STORING_CODE = Buffer.from('600760015560086002555f5ff3'.replaceAll('5f', '6000'), 'hex')
const ABSENT = `0x${'77'.repeat(20)}`

t.test('what is in memory is proven in the front thread, the rest by workers, and alike', async (t) => {
  const { ask, answer, live } = await openDevNode(t, { responseCache: 0 })
  const fields = { nonce: 0n, to: Buffer.alloc(0), data: STORING_CODE, gasLimit: 200_000n, value: 3n }
  const hash = await ask('eth_sendRawTransaction', toHex(signedTransaction(fields).encoded))
  await ask('evm_mine')
  const { contractAddress: contract, blockHash, status } = await ask('eth_getTransactionReceipt', hash)
  t.equal(status, '0x1')
  const { stateRoot } = await ask('eth_getBlockByNumber', 'latest', false)
  const root = Buffer.from(stateRoot.slice(2), 'hex')
  const pooled = () => live.service.dispatcher.stats()['proof']?.answered ?? 0
  const prove = async (address: string, slots: readonly string[], block: string) => {
    const before = pooled()
    const proof: AccountProofAnswer = await ask('eth_getProof', address, slots, block)
    return { proof, isOfFront: pooled() === before }
  }
  const slots = ['0x1', '0x2', '0x3', '0x04', '0x5', '0x6', '0x7', '0x8']
  for (const address of [contract, ABSENT]) {
    const { proof, isOfFront } = await prove(address, slots, 'latest')
    t.ok(isOfFront, address)
    t.equal(verifyAccountProof(root, proof), address === contract)
    t.equal(proof.storageProof[3]?.key, '0x4')
    t.same(
      proof.storageProof.map(({ value }) => value).filter((value) => value !== '0x0'),
      address === contract ? ['0x7', '0x8'] : [],
    )
    t.ok((await prove(address, slots, '0x1')).isOfFront, 'by number')
    const more = await prove(address, [...slots, '0x9'], 'latest')
    t.notOk(more.isOfFront, 'many cells')
    t.equal(verifyAccountProof(root, more.proof), address === contract)
    t.strictSame({ ...more.proof, storageProof: more.proof.storageProof.slice(0, -1) }, proof)
    const byHash = await prove(address, slots, blockHash)
    t.notOk(byHash.isOfFront)
    t.strictSame(byHash.proof, proof)
  }
  const { proof } = await prove(contract, [], 'latest')
  t.match(proof, { balance: '0x3', storageProof: [] })
  t.match(await answer('eth_getProof', contract, slots, '0x2'), { error: { message: 'Block 0x2 not found' } })
})
