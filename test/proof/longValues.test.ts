import t from 'tap'
import { StateStore } from '../../src/native/stateStore.ts'
import { fromHex, toHex } from '../../src/util/bytes.ts'
import { type AccountProofAnswer, verifyAccountProof } from './accountProof.ts'
import { ProofError } from './errors.ts'
import { keccak } from './node.ts'

const ADDRESS = fromHex(`0x${'77'.repeat(20)}`)
const EMPTY_ROOT = Buffer.from(keccak(Uint8Array.of(0x80)))
/** Lengths around those at which a value is stored apart and at which a node is embedded. */
const LENGTHS = [1, 31, 32, 33, 40, 300, 70_000]

/** Cells longer than a word come from system contracts only, and the recorded chain has none. */
t.test('cells and code of every length are proven', (t) => {
  const store = StateStore.inMemory()
  const cells = LENGTHS.map((length, i) => ({ slot: Buffer.of(i + 1), value: Buffer.alloc(length, i + 1) }))
  for (const { value } of cells.slice(1, 6)) value[0] = 0
  const code = Buffer.alloc(100, 0x5b)
  const root = store.writeAccounts(EMPTY_ROOT, [
    {
      address: ADDRESS,
      nonce: Buffer.of(1),
      balance: Buffer.alloc(32, 0x7f),
      code,
      contract: true,
      storage: cells.flatMap(({ slot, value }) => [slot, value]),
    },
  ])
  const slots = cells.map(({ slot }) => slot)
  const text = store.proof(root, ADDRESS, slots)
  t.same(store.proofInMemory(root, ADDRESS, slots), text)
  const answer = JSON.parse(text.toString('latin1')) as AccountProofAnswer
  t.match(answer, { address: toHex(ADDRESS), balance: toHex(Buffer.alloc(32, 0x7f)), nonce: '0x1' })
  t.strictSame(
    answer.storageProof.map(({ key, value }) => [key, value]),
    cells.map(({ value }, i) => [`0x${(i + 1).toString(16)}`, `0x${BigInt(toHex(value)).toString(16)}`]),
  )
  t.ok(verifyAccountProof(root, answer), 'an account whose value is stored apart')
  t.equal(answer.codeHash, toHex(keccak(code)))
  for (const [i, cell] of answer.storageProof.entries()) {
    const changed = { ...cell, value: `0x${(BigInt(cell.value) ^ 1n).toString(16)}` }
    const storageProof = answer.storageProof.with(i, changed)
    t.throws(() => verifyAccountProof(root, { ...answer, storageProof }), ProofError, `${LENGTHS[i]} bytes`)
  }
  t.end()
})
