import { keccak256 } from '../../src/native/crypto.ts'
import type { StateStore } from '../../src/native/stateStore.ts'
import type { AccountWrite } from '../../src/native/types.ts'
import { bigIntToBytes, bytesToBigInt, fromHex } from '../../src/util/bytes.ts'
import type { CaseValues } from './comparison.ts'

/** An account as the vectors write it. */
export interface AccountVector {
  readonly exists?: boolean
  readonly balance?: string
  readonly nonce?: string
  readonly contract?: boolean
  readonly code?: string
  readonly codeHash?: string
  readonly codeLength?: number
  readonly storage?: Readonly<Record<string, string>>
}

/** The write that makes an account as given. */
export function accountWrite(address: string, account: AccountVector): AccountWrite {
  return {
    address: fromHex(address),
    ...(account.nonce === undefined ? {} : { nonce: bigIntToBytes(BigInt(account.nonce)) }),
    ...(account.balance === undefined ? {} : { balance: bigIntToBytes(BigInt(account.balance)) }),
    ...(account.code === undefined ? {} : { code: fromHex(account.code) }),
    contract: account.contract === true,
    storage: Object.entries(account.storage ?? {})
      .flat()
      .map(fromHex),
  }
}

/** Compares an account of a state with the recorded one. */
export function compareAccount(
  values: CaseValues,
  { store, root }: { store: StateStore; root: Buffer },
  address: string,
  recorded: AccountVector,
): void {
  const bytes = fromHex(address)
  const account = store.account(root, bytes)
  values.equal(`${address} exists`, recorded.exists !== false, account !== null)
  values.equal(`${address} contract`, recorded.contract === true, store.isContract(root, bytes))
  if (recorded.balance !== undefined) {
    values.equal(`${address} balance`, recorded.balance, account && bytesToBigInt(account.balance))
  }
  if (recorded.nonce !== undefined)
    values.equal(`${address} nonce`, recorded.nonce, account && bytesToBigInt(account.nonce))
  if (recorded.code !== undefined) values.equal(`${address} code`, recorded.code, store.code(root, bytes))
  if (recorded.codeHash !== undefined) {
    const code = store.code(root, bytes)
    values.equal(`${address} code hash`, recorded.codeHash, keccak256(code))
    values.equal(`${address} code length`, recorded.codeLength, code.length)
  }
  for (const [slot, value] of Object.entries(recorded.storage ?? {})) {
    values.equal(`${address} cell ${slot}`, value, store.storage(root, bytes, fromHex(slot)))
  }
}
