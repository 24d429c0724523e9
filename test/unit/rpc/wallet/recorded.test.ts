import t from 'tap'
import { DEVELOPMENT_BALANCE } from '../../../../src/config/networks/shared.ts'
import { METHODS } from '../../../../src/rpc/methods.ts'
import { readVectorLines } from '../../../support/vectors.ts'
import {
  ask,
  createWalletContext,
  openTestWallet,
  type ParsedAnswer,
} from '../../../support/walletContext.ts'

interface Line {
  readonly step: number
  readonly request?: { readonly method?: string; readonly params?: readonly unknown[] }
  readonly response: ParsedAnswer
  readonly head?: { readonly number: number; readonly hash: string }
}

/** What the reference has; personal_sign is an extension. */
const WALLET_METHOD = /^(personal_(?!sign$)|eth_sign$|eth_sendTransaction$|eth_accounts$)/
const IMPORTED = '0x7d7264f9bc981742661f2ae7e35ba57525097c00'
const lines = readVectorLines<Line>('rpc/rpc-main.jsonl').filter(({ request }) =>
  WALLET_METHOD.test(request?.method ?? ''),
)

/** Head at which the wallet's recorded transactions were sent. */
const SEND_HEAD = lines.find(({ request }) => request?.method === 'eth_sendTransaction')?.head?.hash

/** Accounts before those transactions: the lowest nonces of what was pending after them. */
function accountsAtSend() {
  const pending = readVectorLines<Line>('rpc/rpc-main.jsonl')
    .filter(({ request, head }) => request?.method === 'eth_pendingTransactions' && head?.hash === SEND_HEAD)
    .flatMap(({ response }) => (response.result ?? []) as { from: string; nonce: string }[])
  const nonces: Record<string, bigint> = {}
  for (const { from, nonce } of pending) {
    const value = BigInt(nonce)
    const lowest = nonces[from]
    if (lowest === undefined || value < lowest) nonces[from] = value
  }
  return Object.fromEntries(
    Object.entries(nonces).map(([from, nonce]) => [from, { nonce, balance: DEVELOPMENT_BALANCE }]),
  )
}

/** A fee of type 2 is a gas price here (decisions.md D44), and a JSON number a duration in seconds (rpc.md §3.9). */
function isWiderHere(name: string, params: readonly unknown[]): boolean {
  if (name === 'personal_unlockAccount') return typeof params[2] === 'number'
  const [call] = params as readonly ({
    readonly maxFeePerGas?: unknown
    readonly gasPrice?: unknown
  } | null)[]
  return name === 'eth_sendTransaction' && call?.maxFeePerGas !== undefined && call.gasPrice === undefined
}

/** Account of the reference's miner, which is not listed here (decisions.md D50). */
const MINER = '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d'

/** What the reference answered, without its miner among the accounts and with the chain of a refusal (decisions.md D53). */
function asHere({ result, error }: ParsedAnswer) {
  return {
    result: Array.isArray(result) ? result.filter((element) => element !== MINER) : result,
    error: error?.message.startsWith('Invalid chainId: ')
      ? { ...error, message: `${error.message}, for the chain id of this network is 33` }
      : error,
  }
}

/** The reference has no figures beside the text of a refusal. */
function withoutStats(error: { readonly code: number; readonly message: string } | undefined) {
  return error === undefined ? undefined : { code: error.code, message: error.message }
}

t.test('the wallet answers as the reference in the recorded scenario', async (t) => {
  const { wallet } = await openTestWallet(t.teardown)
  const accounts = { ...accountsAtSend(), [IMPORTED]: { nonce: 0n, balance: 10n ** 18n } }
  const { context } = createWalletContext({ wallet, accounts, head: lines[0]?.head?.hash ?? '' })
  let equal = 0
  let clearer = 0
  for (const { step, request, response } of lines) {
    const name = request?.method ?? ''
    if (!METHODS.some((method) => method.name === name)) {
      t.equal(response.error?.code, -32601, `step ${step}: ${name} is none of the reference's methods either`)
      continue
    }
    const found = await ask(context, name, request?.params ?? [])
    if (response.error?.code === -32603) {
      t.equal(found.error?.code, -32602, `step ${step}: ${name} says what is wrong`)
      clearer += 1
      continue
    }
    if (isWiderHere(name, request?.params ?? [])) {
      t.equal(found.error, undefined, `step ${step}: ${name} is taken`)
      continue
    }
    t.same(
      { result: found.result, error: withoutStats(found.error) },
      asHere(response),
      `step ${step}: ${name}`,
    )
    equal += 1
  }
  t.ok(equal > 70, `${equal} equal`)
  t.ok(clearer < 15, `${clearer} with a clearer error`)
})
