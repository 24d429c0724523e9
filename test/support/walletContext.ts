import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recoverSenders } from '../../src/chain/codec/signature.ts'
import { parseTransaction } from '../../src/chain/codec/transactionDecoder.ts'
import { regtest } from '../../src/config/networks/regtest.ts'
import type { NodeContext } from '../../src/rpc/context.ts'
import { executeRequest } from '../../src/rpc/execute.ts'
import { METHODS } from '../../src/rpc/methods.ts'
import { preferencesOf } from '../../src/rpc/preferences.ts'
import { PoolRefusal } from '../../src/txpool/errors.ts'
import type { PoolAccount, PoolHead, SendOutcome } from '../../src/txpool/interface.ts'
import { TransactionPool } from '../../src/txpool/transactionPool.ts'
import { fromHex } from '../../src/util/bytes.ts'
import type { LocalWallet } from '../../src/wallet/localWallet.ts'
import { openWallet } from '../../src/wallet/openWallet.ts'
import { createChainContext } from './chainContext.ts'
import { RecordedChain } from './recordedChain.ts'
import { readVectorLines } from './vectors.ts'

/** Cheap enough for tests; every step of the derivation still runs. */
export const LIGHT_SCRYPT = { n: 1024, r: 8, p: 1 }

/** Folders and clock of a wallet under test. */
export interface WalletUnderTest {
  readonly wallet: LocalWallet
  readonly dataDir: string
  /** Names of files that were no key files. */
  readonly skipped: string[]
  /** Moves the clock, milliseconds. */
  advance(milliseconds: number): void
}

/** Opens a wallet with the accounts of regtest in a folder of its own. */
export async function openTestWallet(
  teardown: (action: () => void) => void,
  dataDir: string = mkdtempSync(join(tmpdir(), 'rhizome-wallet-')),
): Promise<WalletUnderTest> {
  let now = 1_700_000_000_123
  const skipped: string[] = []
  const wallet = await openWallet({
    dataDir,
    mining: regtest.mining,
    onSkippedFile: (name) => skipped.push(name),
    scrypt: LIGHT_SCRYPT,
    now: () => now,
  })
  teardown(() => {
    wallet.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const advance = (milliseconds: number) => {
    now += milliseconds
  }
  return { wallet, dataDir, skipped, advance }
}

/** State of accounts at the head, by lower-case address. */
export type TestAccounts = Readonly<Record<string, { readonly nonce: bigint; readonly balance: bigint }>>

/** What a context with a wallet stands on. */
export interface WalletContextOptions {
  readonly wallet: LocalWallet | null
  readonly accounts: TestAccounts
  /** Hash of a recorded block. */
  readonly head: string
  /** Wei; that of the head unless given. */
  readonly minimumGasPrice?: bigint
  readonly hosted?: boolean
}

/** A context with a wallet, a real transaction pool and given accounts at a recorded head. */
export function createWalletContext(options: WalletContextOptions): {
  context: NodeContext
  pool: TransactionPool
} {
  const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(fromHex(options.head))
  const base = createChainContext(chain)
  const account = (address: Buffer): PoolAccount | null => {
    const found = options.accounts[`0x${address.toString('hex')}`]
    return found === undefined ? null : { ...found, isContract: false }
  }
  const recorded = chain.head()
  const header =
    options.minimumGasPrice === undefined
      ? recorded
      : Object.create(recorded, {
          fields: { value: { ...recorded.fields, minimumGasPrice: options.minimumGasPrice } },
        })
  const head: PoolHead = {
    header,
    minimumGasPrice: options.minimumGasPrice ?? 0n,
    transactionGasLimit: 6_800_000n,
    isActive: () => true,
    account,
    basicCost: ({ isCreation }) => (isCreation ? 53_000n : 21_000n),
  }
  const limits = {
    accountSlots: 16,
    gasPriceBump: 40,
    outdatedBlocks: 10,
    outdatedMilliseconds: 650_000,
  }
  const pool = new TransactionPool({ limits, head, quota: null, now: Date.now })
  const sendTransaction = async (encoded: Buffer): Promise<SendOutcome> => {
    const transaction = parseTransaction(encoded)
    const [sender] = recoverSenders([transaction])
    try {
      pool.add(transaction, sender ?? Buffer.alloc(20))
    } catch (error) {
      if (error instanceof PoolRefusal) {
        return { status: 'refused', reason: error.message, stats: error.stats }
      }
      throw error
    }
    return { status: 'accepted', hash: transaction.hash }
  }
  const context: NodeContext = {
    ...base,
    node: { ...base.node, settings: { ...base.node.settings, hosted: options.hosted ?? false } },
    chain: { ...chain, head: () => header },
    state: { ...base.state, at: () => ({ account }) as unknown as ReturnType<NodeContext['state']['at']> },
    pool: { ...base.pool, nextNonce: async (address) => pool.nextNonce(address) },
    commands: { ...base.commands, sendTransaction },
    wallet: options.wallet,
  }
  return { context, pool }
}

/** An answer as a client reads it. */
export interface ParsedAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Runs one request; errors that no method expects are thrown. */
export async function ask(
  context: NodeContext,
  name: string,
  params: readonly unknown[],
): Promise<ParsedAnswer> {
  const method = METHODS.find((candidate) => candidate.name === name)
  if (method === undefined) throw new Error(`no method ${name}`)
  const onUnexpected = (_name: string, error: unknown) => {
    throw error
  }
  const text = JSON.stringify(params)
  const answer = await executeRequest(
    context,
    method,
    '1',
    text,
    onUnexpected,
    preferencesOf('reference', 'cut'),
  )
  return JSON.parse(answer.text) as ParsedAnswer
}
