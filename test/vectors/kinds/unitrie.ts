import { keccak256 } from '../../../src/native/crypto.ts'
import {
  createUnitrie,
  decodeAccount,
  encodeAccount,
  trieKeys,
  type Unitrie,
} from '../../../src/native/trie.ts'
import { bigIntToBytes, bytesToBigInt, fromHex } from '../../../src/util/bytes.ts'
import type { CaseValues, Comparison } from '../comparison.ts'

interface Step {
  op: 'put' | 'delete' | 'deleteRecursive'
  key: string
  value?: string
  root: string
}
interface NodeVector {
  keyBits: string
  message: string
  hash: string
  embeddable: boolean
  childrenSize: number
  longValueHash?: string
  longValueLength?: number
}
interface ProofVector {
  key: string
  nodes: string[] | null
  value: string | null
}
type Line =
  | ({ type: 'sequence'; name: string; steps: Step[]; nodes: NodeVector[]; proofs: ProofVector[] } & Record<
      string,
      unknown
    >)
  | {
      type: 'keyMapper'
      address: string
      slot: string
      accountKey: string
      codeKey: string
      storagePrefixKey: string
      storageKey: string
    }
  | {
      type: 'accountState'
      nonce: string
      balance: string
      hibernated: boolean
      rlp: string
      decodedBalance: string
      decodedNonce: string
    }

/** unitrie.jsonl: roots step by step, nodes, proofs, keys and account values. */
export async function compareUnitrie(lines: AsyncIterable<unknown>, comparison: Comparison): Promise<void> {
  let number = 0
  for await (const line of lines) {
    const vector = line as Line
    number += 1
    comparison.case(`${vector.type} line ${number}`, (values) => {
      if (vector.type === 'sequence') compareSequence(vector, values)
      else if (vector.type === 'keyMapper') compareKeys(vector, values)
      else if (vector.type === 'accountState') compareAccount(vector, values)
      else throw new Error(`unknown type ${String((vector as { type: unknown }).type)}`)
    })
  }
}

function compareSequence(vector: Extract<Line, { type: 'sequence' }>, values: CaseValues): void {
  const trie = createUnitrie()
  vector.steps.forEach((step, index) => {
    apply(trie, step)
    values.equal(`root after step ${index}`, step.root, trie.root())
  })
  const nodes = trie.nodes()
  values.equal('final root', vector['finalRoot'], trie.root())
  values.equal('orchid root', vector['finalRootOrchidPlain'], trie.orchidRoot(false))
  // The reference remembers the first orchid hash it computes, so the recording holds the plain one twice.
  // The secure form is judged by the state root of the main network's genesis.
  values.equal('remembered orchid root', vector['finalRootOrchidSecure'], trie.orchidRoot(false))
  // The empty trie counts as one node and lists none.
  values.equal('number of nodes', vector['trieSize'], Math.max(1, nodes.length))
  vector.nodes.forEach((expected, index) => {
    const found = nodes[index]
    values.equal(`path of node ${index}`, expected.keyBits, found && Array.from(found.path).join(''))
    values.equal(`message of node ${index}`, expected.message, found?.message)
    values.equal(`hash of node ${index}`, expected.hash, found?.hash)
    values.equal(`embeddable ${index}`, expected.embeddable, found?.embeddable)
    values.equal(`children size of node ${index}`, expected.childrenSize, found?.childrenSize)
    values.equal(`long value of node ${index}`, expected.longValueHash, found?.longValueHash)
    values.equal(`long value length of node ${index}`, expected.longValueLength, found?.longValueLength)
  })
  for (const proof of vector.proofs) {
    const key = fromHex(proof.key)
    values.equal(`proof of ${proof.key}`, proof.nodes, trie.nodesToRoot(key))
    values.equal(`value at ${proof.key}`, proof.value, trie.get(key))
  }
}

function apply(trie: Unitrie, step: Step): void {
  const key = fromHex(step.key)
  if (step.op === 'put') trie.put(key, fromHex(step.value ?? '0x'))
  else if (step.op === 'delete') trie.delete(key)
  else trie.deleteRecursive(key)
}

function compareKeys(vector: Extract<Line, { type: 'keyMapper' }>, values: CaseValues): void {
  const keys = trieKeys(fromHex(vector.address), fromHex(vector.slot))
  values.equal('account key', vector.accountKey, keys.account)
  values.equal('code key', vector.codeKey, keys.code)
  values.equal('storage prefix key', vector.storagePrefixKey, keys.storagePrefix)
  values.equal('storage key', vector.storageKey, keys.storage)
}

function compareAccount(vector: Extract<Line, { type: 'accountState' }>, values: CaseValues): void {
  const balance = BigInt(vector.balance.replace('-', '')) * (vector.balance.startsWith('-') ? -1n : 1n)
  const encoded = encodeAccount({
    nonce: bigIntToBytes(BigInt(vector.nonce)),
    balance: bigIntToBytes(balance < 0n ? -balance : balance),
    negative: balance < 0n,
    flags: vector.hibernated ? 1 : 0,
  })
  values.equal('encoded', vector.rlp, encoded)
  const decoded = decodeAccount(encoded)
  const magnitude = bytesToBigInt(decoded.balance)
  values.equal('decoded balance', vector.decodedBalance, decoded.negative ? -magnitude : magnitude)
  values.equal('decoded nonce', vector.decodedNonce, bytesToBigInt(decoded.nonce))
  values.equal('hash of the value', keccak256(fromHex(vector.rlp)), keccak256(encoded))
}
