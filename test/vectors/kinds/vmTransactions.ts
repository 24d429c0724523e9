import { EMPTY_TRIE_HASH } from '../../../src/chain/codec/constants.ts'
import { encodeReceipt, type Log, parseReceipt } from '../../../src/chain/codec/receipt.ts'
import { recoverSenders } from '../../../src/chain/codec/signature.ts'
import { parseTransaction } from '../../../src/chain/codec/transactionDecoder.ts'
import { toExecutable } from '../../../src/execution/executableTransaction.ts'
import { keccak256 } from '../../../src/native/crypto.ts'
import { NativeError } from '../../../src/native/errors.ts'
import { executeTransaction } from '../../../src/native/transactionExecution.ts'
import type { TransactionResult } from '../../../src/native/types.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, fromHex } from '../../../src/util/bytes.ts'
import { type AccountVector, accountWrite, compareAccount } from '../accounts.ts'
import type { CaseValues, Comparison } from '../comparison.ts'
import { type VectorEnvironment, VectorEnvironments } from '../environments.ts'

interface LogVector {
  readonly address: string
  readonly topics: readonly string[]
  readonly data?: string
  readonly dataHash?: string
  readonly dataLength?: number
}
interface Line {
  readonly name: string
  readonly activation: { readonly network: string }
  readonly blockEnv: Readonly<Record<string, string>> & { readonly txIndex?: number | string }
  readonly precompileAccounts: boolean
  readonly pre: Readonly<Record<string, AccountVector>>
  readonly preStateRoot: string
  readonly tx: Readonly<Record<string, unknown>> & { readonly raw: string }
  readonly result: Readonly<Record<string, unknown>> & {
    readonly executed: boolean
    readonly post?: Readonly<Record<string, AccountVector>>
    readonly logs?: readonly LogVector[]
  }
}

/** vm-transactions.jsonl: one transaction each on a small state, in every era. */
export async function compareVmTransactions(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  const environments = new VectorEnvironments(path)
  for await (const line of lines) {
    const vector = line as Line
    comparison.case(vector.name, (values) => {
      const environment = environments.at(vector.activation.network, vector.blockEnv['number'] ?? '')
      compareTransaction(vector, environment, values)
    })
  }
}

function compareTransaction(vector: Line, environment: VectorEnvironment, values: CaseValues): void {
  compareFields(vector, values)
  const root = writePreState(vector, environment)
  values.equal('state root before', vector.preStateRoot, root)
  const result = execute(vector, environment, root)
  values.equal('executed', vector.result.executed, result !== null)
  if (result === null || !vector.result.executed) return
  compareResult(vector, result, values)
  const state = { store: environment.store, root: result.stateRoot }
  for (const [address, account] of Object.entries(vector.result.post ?? {})) {
    compareAccount(values, state, address, account)
  }
}

/** The decoded fields beside the raw transaction. */
function compareFields({ tx }: Line, values: CaseValues): void {
  const transaction = parseTransaction(fromHex(tx.raw))
  const { fields } = transaction
  values.equal('transaction hash', tx['hash'], transaction.hash)
  values.equal('sender', tx['from'], recoverSenders([transaction])[0])
  values.equal('receiver', tx['to'], transaction.isCreation ? null : fields.to)
  values.equal('nonce', tx['nonce'], transaction.nonce)
  values.equal('gas price', tx['gasPrice'], transaction.gasPrice)
  values.equal('gas limit', tx['gasLimit'], transaction.gasLimit)
  values.equal('value', tx['value'], fields.value)
  values.equal('chain id', tx['chainId'], fields.chainId)
  if (tx['data'] !== undefined) values.equal('data', tx['data'], fields.data)
}

function writePreState(vector: Line, { store, activePrecompiles }: VectorEnvironment): Buffer {
  const precompiles = vector.precompileAccounts
    ? activePrecompiles.map((address) =>
        accountWrite(address.toString('hex'), { nonce: '0x0', balance: '0x0', contract: true }),
      )
    : []
  const root = store.writeAccounts(EMPTY_TRIE_HASH, precompiles)
  return store.writeAccounts(
    root,
    Object.entries(vector.pre).map(([address, account]) => accountWrite(address, account)),
  )
}

/** The result, or null for a transaction that no block may hold. */
function execute(vector: Line, environment: VectorEnvironment, root: Buffer): TransactionResult | null {
  const transaction = parseTransaction(fromHex(vector.tx.raw))
  const [sender] = recoverSenders([transaction])
  const executable = toExecutable(transaction, sender ?? Buffer.alloc(20), environment.spec.chainId)
  if (executable === null) return null
  const { blockEnv } = vector
  try {
    return executeTransaction(environment.nativeSpec, environment.store, {
      root,
      block: {
        number: Number(blockEnv['number']),
        timestamp: BigInt(blockEnv['timestamp'] as string),
        difficulty: quantity(blockEnv['difficulty']),
        gasLimit: BigInt(blockEnv['gasLimit'] ?? 0),
        coinbase: fromHex(blockEnv['coinbase'] ?? ''),
        minimumGasPrice: quantity(blockEnv['minimumGasPrice']),
        parentHash: fromHex(blockEnv['parentHash'] ?? ''),
      },
      transaction: executable,
      index: Number(blockEnv.txIndex ?? 0),
      gasUsedBefore: BigInt(blockEnv['gasUsedBefore'] ?? 0),
    })
  } catch (error) {
    if (error instanceof NativeError && error.code === 'InvalidBlock') return null
    throw error
  }
}

function compareResult({ result: recorded }: Line, result: TransactionResult, values: CaseValues): void {
  const receipt = parseReceipt(result.receipt)
  values.equal('gas used', recorded['gasUsed'], result.gasUsed)
  values.equal('status', recorded['status'], result.succeeded ? '0x01' : '0x')
  values.equal('paid fees', recorded['paidFees'], bytesToBigInt(result.paidFees))
  values.equal('refund', recorded['refund'] ?? '0x0', result.refund)
  if (recorded['outputHash'] === undefined) values.equal('output', recorded['output'], result.output)
  else {
    values.equal('output hash', recorded['outputHash'], keccak256(result.output))
    values.equal('output length', recorded['outputLength'], result.output.length)
  }
  values.equal('contract address', recorded['contractAddress'], result.contractAddress)
  values.equal('deleted', recorded['deleted'] ?? [], [...result.deleted].sort(Buffer.compare))
  compareLogs(recorded.logs ?? [], receipt.logs, values)
  // These receipts were recorded before a block would have set their post state.
  values.equal('receipt hash', recorded['receiptHash'], keccak256(encodeReceipt(receipt, EMPTY_BYTES)))
  values.equal('state root', recorded['stateRoot'], result.stateRoot)
}

function compareLogs(recorded: readonly LogVector[], logs: readonly Log[], values: CaseValues): void {
  values.equal('number of logs', recorded.length, logs.length)
  recorded.forEach((expected, index) => {
    const log = logs[index]
    if (log === undefined) return
    values.equal(`log ${index} address`, expected.address, log.address)
    values.equal(`log ${index} topics`, expected.topics, log.topics)
    if (expected.dataHash === undefined) values.equal(`log ${index} data`, expected.data, log.data)
    else {
      values.equal(`log ${index} data hash`, expected.dataHash, keccak256(log.data))
      values.equal(`log ${index} data length`, expected.dataLength, log.data.length)
    }
  })
}

function quantity(hex: string | undefined): Buffer {
  return bigIntToBytes(BigInt(hex ?? 0))
}
