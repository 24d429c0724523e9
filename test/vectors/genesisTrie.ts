import type { GenesisState } from '../../src/chain/genesis.ts'
import { decodeAccount } from '../../src/native/trie.ts'
import { bytesToBigInt, EMPTY_BYTES, fromHex } from '../../src/util/bytes.ts'

/** A value of a recorded trie: key, bits of the key, value. */
export type TrieEntry = readonly [key: string, bits: number, value: string]

/** Lengths of keys (consensus.md §6.4). */
const ACCOUNT_KEY = 31
const CODE_SUFFIX = 0x80
const CELL_PREFIX = ACCOUNT_KEY + 1 + 10

/** Accounts of a recorded trie. */
export function stateFromTrie(entries: readonly TrieEntry[]): GenesisState[] {
  const states = new Map<string, GenesisState>()
  for (const [key, , hex] of entries) {
    const bytes = fromHex(key)
    const value = fromHex(hex)
    const address = bytes.subarray(ACCOUNT_KEY - 20, ACCOUNT_KEY)
    const name = address.toString('hex')
    const state = states.get(name) ?? {
      address,
      account: null,
      isContract: false,
      code: EMPTY_BYTES,
      cells: [],
    }
    states.set(name, withEntry(state, bytes, value))
  }
  return [...states.values()]
}

function withEntry(state: GenesisState, key: Buffer, value: Buffer): GenesisState {
  if (key.length === ACCOUNT_KEY) {
    const account = decodeAccount(value)
    return {
      ...state,
      account: { nonce: bytesToBigInt(account.nonce), balance: bytesToBigInt(account.balance) },
    }
  }
  if (key[ACCOUNT_KEY] === CODE_SUFFIX) return { ...state, code: value }
  if (key.length === ACCOUNT_KEY + 1) return { ...state, isContract: true }
  const slot = key.subarray(CELL_PREFIX)
  return { ...state, cells: [...state.cells, { slot, value }] }
}
