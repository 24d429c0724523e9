import t from 'tap'
import { readVectorLines } from '../support/vectors.ts'
import { ProofError } from './errors.ts'
import { keccak } from './node.ts'
import { assertValue, verifyProof } from './verify.ts'

interface Sequence {
  readonly type: string
  readonly name: string
  readonly steps: readonly { readonly key: string }[]
  readonly finalRoot: string
  readonly nodes: readonly { readonly message: string; readonly embeddable: boolean }[]
  readonly proofs: readonly {
    readonly key: string
    readonly value: string | null
    readonly nodes: string[] | null
  }[]
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex')
const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const sequences = readVectorLines<Sequence>('consensus/unitrie.jsonl').filter(
  ({ type }) => type === 'sequence',
)

/** The reference lists nodes from the key up, and embedded ones too. */
function proofOf(sequence: Sequence, nodes: readonly string[]): Uint8Array[] {
  const embedded = new Set(sequence.nodes.filter((node) => node.embeddable).map(({ message }) => message))
  const root = nodes.at(-1)
  return nodes
    .filter((message) => message === root || !embedded.has(message))
    .reverse()
    .map(bytesOf)
}

/** Nodes that a walk asks for, one by one, out of all recorded ones. */
function collectProof(sequence: Sequence, key: Uint8Array): Uint8Array[] {
  const byHash = new Map(
    sequence.nodes.map(({ message }) => [nameOf(keccak(bytesOf(message))), bytesOf(message)]),
  )
  const proof: Uint8Array[] = []
  for (;;) {
    try {
      verifyProof(bytesOf(sequence.finalRoot), key, proof)
      return proof
    } catch (thrown) {
      if (!(thrown instanceof ProofError) || thrown.code !== 'MissingNode') throw thrown
      const wanted = byHash.get(thrown.message.slice(-64))
      if (wanted === undefined) throw thrown
      proof.push(wanted)
    }
  }
}

t.test('every proof recorded from the reference holds', (t) => {
  let proofs = 0
  let long = 0
  let embedded = 0
  for (const sequence of sequences) {
    for (const { key, value, nodes } of sequence.proofs) {
      if (nodes === null) continue
      const proof = proofOf(sequence, nodes)
      const proven = verifyProof(bytesOf(sequence.finalRoot), bytesOf(key), proof)
      assertValue(proven.value, value === null ? null : bytesOf(value))
      proofs += 1
      if (proven.value?.kind === 'long') long += 1
      if (proof.length < nodes.length) embedded += 1
    }
  }
  t.ok(
    proofs > 0 && long > 0 && embedded > 0,
    `${proofs} proofs, ${long} long values, ${embedded} embedded nodes`,
  )
  t.end()
})

t.test('recorded tries show the absence of keys that were deleted or never put', (t) => {
  let absent = 0
  const wrong: string[] = []
  for (const sequence of sequences) {
    if (sequence.nodes.length === 0) continue
    const present = new Set(sequence.proofs.filter(({ value }) => value !== null).map(({ key }) => key))
    const near = sequence.steps.map(({ key }) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)
    for (const key of [...sequence.proofs.map((proof) => proof.key), ...near]) {
      const bytes = bytesOf(key)
      const proven = verifyProof(bytesOf(sequence.finalRoot), bytes, collectProof(sequence, bytes))
      if (present.has(key)) continue
      const recorded = sequence.proofs.find((proof) => proof.key === key)
      if (recorded === undefined && proven.value !== null) continue
      absent += 1
      if (proven.value !== null) wrong.push(`${sequence.name} ${key}`)
    }
  }
  t.same(wrong, [])
  t.ok(absent > 0, `${absent} keys absent`)
  t.end()
})

t.test('a proof with a changed byte, a missing, surplus or misplaced node does not hold', (t) => {
  const chosen = sequences
    .flatMap((sequence) =>
      sequence.proofs.flatMap(({ key, value, nodes }) =>
        nodes === null || value === null ? [] : [{ sequence, key, value, proof: proofOf(sequence, nodes) }],
      ),
    )
    .filter(({ proof }) => proof.length >= 3)
    .slice(0, 20)
  t.ok(chosen.length > 0)
  for (const { sequence, key, value, proof } of chosen) {
    const holds = (nodes: readonly Uint8Array[], bytes = bytesOf(value)): void =>
      assertValue(verifyProof(bytesOf(sequence.finalRoot), bytesOf(key), nodes).value, bytes)
    holds(proof)
    proof.forEach((node, index) => {
      const changes = Array.from(node, (_, at) => {
        const changed = Uint8Array.from(node)
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
        return proof.with(index, changed)
      })
      const accepted = changes.filter((nodes) => !refused(() => holds(nodes), 'WrongNode'))
      t.equal(accepted.length, 0, `${sequence.name} ${key}: ${changes.length} changed bytes of node ${index}`)
    })
    t.ok(
      refused(() => holds(proof.slice(0, -1)), 'MissingNode'),
      'without the last node',
    )
    t.ok(
      refused(() => holds(proof.slice(1)), 'WrongNode'),
      'without the root',
    )
    t.ok(
      refused(() => holds([...proof, proof[0] ?? new Uint8Array()]), 'SurplusNode'),
      'a node too many',
    )
    t.ok(
      refused(() => holds(proof.toReversed()), 'WrongNode'),
      'from the key up',
    )
    t.ok(
      refused(() => holds(proof, Buffer.concat([bytesOf(value), Uint8Array.of(0)])), 'WrongValue'),
      'a longer value',
    )
    t.ok(
      refused(() => assertValue(null, bytesOf(value)), 'WrongValue'),
      'a value for an absent key',
    )
  }
  t.end()
})

function refused(run: () => void, code: ProofError['code']): boolean {
  try {
    run()
    return false
  } catch (thrown) {
    return thrown instanceof ProofError && thrown.code === code
  }
}
