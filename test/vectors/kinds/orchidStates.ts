import type { AccountWrite } from '../../../native/addon/index.d.ts'
import { EMPTY_TRIE_HASH } from '../../../src/chain/codec/constants.ts'
import { StateStore } from '../../../src/native/stateStore.ts'
import { bigIntToBytes, fromHex } from '../../../src/util/bytes.ts'
import type { Comparison } from '../comparison.ts'

interface AccountVector {
  readonly address: string
  readonly nonce: string
  readonly balance: string
  readonly code?: string
  readonly contract?: boolean
  readonly cells?: Readonly<Record<string, string>>
}
interface Line {
  readonly name: string
  readonly accounts: readonly AccountVector[]
  readonly stateRoot: string
  readonly orchidStateRoot: string
}

/** orchid-states.jsonl: roots of whole states in both formats. */
export async function compareOrchidStates(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
): Promise<void> {
  for await (const line of lines) {
    const { name, accounts, stateRoot, orchidStateRoot } = line as Line
    await comparison.asyncCase(String(name), async (values) => {
      const store = StateStore.inMemory()
      const root = store.writeAccounts(EMPTY_TRIE_HASH, accounts.map(toWrite))
      values.equal('state root', stateRoot, root)
      values.equal('root before RSKIP126', orchidStateRoot, await store.orchidStateRoot(root))
    })
  }
}

function toWrite({
  address,
  nonce,
  balance,
  code,
  contract = false,
  cells = {},
}: AccountVector): AccountWrite {
  return {
    address: fromHex(address),
    nonce: bigIntToBytes(BigInt(nonce)),
    balance: bigIntToBytes(BigInt(balance)),
    ...(code !== undefined && { code: fromHex(code) }),
    contract,
    storage: Object.entries(cells).flatMap(([slot, value]) => [fromHex(slot), fromHex(value)]),
  }
}
