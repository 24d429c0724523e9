import { EMPTY_TRIE_HASH } from '../../../src/chain/codec/constants.ts'
import { isActive } from '../../../src/config/activations.ts'
import { callPrecompile } from '../../../src/native/precompile.ts'
import { EMPTY_BYTES, fromHex } from '../../../src/util/bytes.ts'
import type { CaseValues, Comparison } from '../comparison.ts'
import { type VectorEnvironment, VectorEnvironments } from '../environments.ts'

/** Calls above this price were not run when they were recorded. */
const RECORDED_GAS_LIMIT = 30_000_000n

interface Line {
  readonly name: string
  readonly activation: { readonly network: string; readonly number: string }
  readonly address: string
  readonly input: string | null
  readonly active: boolean
  readonly maxInput?: number | null
  readonly gas?: string | null
  readonly executed?: boolean
  readonly output?: string | null
  readonly exception?: unknown
}

/** precompiles.jsonl: direct calls of precompiled contracts. */
export async function comparePrecompiles(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  const environments = new VectorEnvironments(path)
  for await (const line of lines) {
    const vector = line as Line
    const { network, number } = vector.activation
    comparison.case(vector.name, (values) => compareCall(vector, environments.at(network, number), values))
  }
}

function compareCall(vector: Line, environment: VectorEnvironment, values: CaseValues): void {
  const number = Number(vector.activation.number)
  const call = callPrecompile(environment.nativeSpec, environment.store, {
    root: EMPTY_TRIE_HASH,
    block: {
      number,
      timestamp: 0n,
      difficulty: EMPTY_BYTES,
      gasLimit: 0n,
      coinbase: Buffer.alloc(20),
      minimumGasPrice: EMPTY_BYTES,
      parentHash: environment.parentHash,
    },
    address: fromHex(vector.address),
    input: vector.input === null ? null : fromHex(vector.input),
    gasLimit: RECORDED_GAS_LIMIT,
  })
  values.equal('active', vector.active, call !== null)
  if (call === null || !vector.active) return
  if (isActive(environment.spec, 'rskip516', number)) {
    values.equal('maximum input', vector.maxInput ?? null, call.maxInput ?? null)
  }
  values.equal('gas', vector.gas ?? null, call.gas ?? null)
  values.equal('executed', vector.executed ?? false, call.executed)
  if (!vector.executed || !call.executed) return
  values.equal(
    'throws',
    vector.exception !== undefined && vector.exception !== null,
    call.failure !== undefined,
  )
  values.equal('output', vector.output ?? null, call.output ?? null)
}
