import t from 'tap'
import { type AccountProofAnswer, verifyAccountProof } from './accountProof.ts'
import {
  fetchProofs,
  proofCases,
  readProofVectors,
  readRecordedState,
  recordedKeys,
  recordedValues,
  serveRecordedChain,
} from './cases.ts'
import { ProofError } from './errors.ts'
import { keccak } from './node.ts'

const vectors = readProofVectors()
const state = readRecordedState()
const root = Buffer.from(state.stateRoot.slice(2), 'hex')
const EMPTY_CODE_HASH = `0x${Buffer.from(keccak(new Uint8Array())).toString('hex')}`

t.test('the committed proofs hold under the recorded state root and show the recorded values', (t) => {
  const values = recordedValues(state)
  t.equal(vectors.stateRoot, state.stateRoot)
  t.same(
    vectors.answers.map(({ address }) => address),
    proofCases(state).map(({ address }) => address),
  )
  let cells = 0
  let absentCells = 0
  for (const answer of vectors.answers) {
    const exists = verifyAccountProof(root, answer)
    const keys = recordedKeys(answer.address)
    const code = values.get(keys.code)
    const codeHash =
      code === undefined
        ? EMPTY_CODE_HASH
        : `0x${Buffer.from(keccak(Buffer.from(code.slice(2), 'hex'))).toString('hex')}`
    const wrong = [
      ...(exists === values.has(keys.account) ? [] : ['existence']),
      ...(answer.codeHash === codeHash ? [] : ['code hash']),
    ]
    for (const { key, value } of answer.storageProof) {
      const recorded = values.get(recordedKeys(answer.address, key).cell)
      if (BigInt(value) !== BigInt(recorded ?? '0x0')) wrong.push(`cell ${key}`)
      if (recorded === undefined) absentCells += 1
      else cells += 1
    }
    t.same(wrong, [], answer.address)
  }
  t.ok(cells > 0 && absentCells > 0, `${cells} cells, ${absentCells} absent cells`)
  t.end()
})

t.test('a changed answer does not hold', (t) => {
  const refused = (answer: AccountProofAnswer): boolean => {
    try {
      verifyAccountProof(root, answer)
      return false
    } catch (thrown) {
      return thrown instanceof ProofError
    }
  }
  const other = `0x${'12'.repeat(32)}`
  for (const answer of vectors.answers) {
    const changes: AccountProofAnswer[] = [
      { ...answer, balance: `0x${(BigInt(answer.balance) + 1n).toString(16)}` },
      { ...answer, nonce: `0x${(BigInt(answer.nonce) + 1n).toString(16)}` },
      { ...answer, codeHash: other },
      { ...answer, storageHash: other },
      { ...answer, accountProof: answer.accountProof.slice(0, -1) },
      { ...answer, accountProof: [...answer.accountProof, answer.accountProof[0] ?? '0x'] },
      ...answer.storageProof.map((cell, i) => ({
        ...answer,
        storageProof: answer.storageProof.with(i, {
          ...cell,
          value: `0x${(BigInt(cell.value) + 1n).toString(16)}`,
        }),
      })),
    ]
    t.ok(changes.every(refused), `${changes.length} changes of ${answer.address}`)
  }
  t.end()
})

t.test('a node that imported the recorded chain gives exactly the committed proofs', async (t) => {
  const node = await serveRecordedChain(t.testdir())
  t.teardown(() => node.stop())
  t.same(await fetchProofs(node, proofCases(state), vectors.block), vectors.answers)
})
