import { AbiCoder } from 'ethers'
import { ChainStoreReader } from '../../../src/chain/chainStoreReader.ts'
import type { Log } from '../../../src/chain/codec/receipt.ts'
import type { ActivationHeights } from '../../../src/config/activations.ts'
import { fillDefaults } from '../../../src/config/load.ts'
import { chosenNetwork } from '../../../src/config/networks/configured.ts'
import { createLocalNode, type LocalNode } from '../../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../../src/node/options/chainOptions.ts'
import { bodyOf, executeRequest } from '../../../src/rpc/execute.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { preferencesOf } from '../../../src/rpc/preferences.ts'
import { accountOfSeed, signedTransaction, type TestAccount } from '../../support/signedTransaction.ts'
import { type Answer, answerIn, BRIDGE, namesOf } from './events.ts'
import { encodeCall, typesOf } from './methods.ts'

const START = 1_700_000_000
const SECONDS_BETWEEN_BLOCKS = 30
const GAS_PRICE = 1n
/** Numbers farther from zero are amounts, not codes. */
const MAX_CODE = 1000n

const ETH_CALL = (() => {
  const method = METHODS.find(({ name }) => name === 'eth_call')
  if (method === undefined) throw new RangeError('the node has no eth_call')
  return method
})()

/** What became of a transaction. */
export interface Outcome {
  readonly success: boolean
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
  /** Names of the events of the Bridge. */
  readonly names: ReadonlySet<string>
  /** Of the Bridge to a forwarding contract; null where none called it. */
  readonly answer: Answer | null
}

/** A transaction on its way to a block. */
export interface Sending {
  readonly from: TestAccount
  readonly to: Buffer
  readonly data: Buffer
  readonly value?: bigint
  readonly gasLimit?: number
  /** What the report counts it as. */
  readonly label: string
  readonly done?: (outcome: Outcome) => void
}

interface Sent extends Sending {
  readonly hash: string
}

/** A chain of regtest in this thread, which is told transactions and when to make a block. */
export class ChainDriver {
  readonly heights: ActivationHeights
  readonly reader: ChainStoreReader
  /** Transactions by label and outcome. */
  readonly counts = new Map<string, number>()
  /** Calls that contracts made, and those of them that did not fail. */
  readonly contractCalls = { made: 0, answered: 0 }
  /** One line for each transaction: block, place, hash, gas, success, label. */
  readonly log: string[] = []
  readonly #node: LocalNode
  readonly #accounts = new Map<string, TestAccount>()
  readonly #nonces = new Map<string, bigint>()
  readonly #now: { seconds: number }
  #sent: Sent[] = []
  #number = 0

  constructor(dataDir: string, heights: ActivationHeights) {
    this.heights = heights
    const config = fillDefaults({ network: 'regtest', profile: 'dev', dataDir, accountSlots: 1000 })
    const options = chainOptionsFromConfig(config, 'chains')
    const chain = {
      ...options,
      activationHeights: heights,
      production: { ...options.production, mode: { instant: false, interval: null } },
    }
    const now = { seconds: START }
    this.#now = now
    this.#node = createLocalNode({
      chain,
      node: nodeInfoFromConfig(config, 'test'),
      now: () => now.seconds * 1000,
    })
    this.reader = new ChainStoreReader(chosenNetwork(chain), this.#node.core.open.environment)
  }

  /** Of the newest block. */
  get number(): number {
    return this.#number
  }

  /** Whether a rule applies to the block that comes next. */
  on(rule: keyof ActivationHeights): boolean {
    const height = this.heights[rule]
    return height >= 0 && this.#number + 1 >= height
  }

  /** The account whose key is the hash of a text. */
  account(seed: string): TestAccount {
    const known = this.#accounts.get(seed) ?? accountOfSeed(seed)
    this.#accounts.set(seed, known)
    return known
  }

  /** Puts a transaction in the pool. */
  async send(sending: Sending): Promise<void> {
    const key = sending.from.address.toString('hex')
    const nonce = this.#nonces.get(key) ?? 0n
    const transaction = signedTransaction({
      from: sending.from,
      to: sending.to,
      data: sending.data,
      value: sending.value ?? 0n,
      gasLimit: BigInt(sending.gasLimit ?? 300_000),
      gasPrice: GAS_PRICE,
      nonce,
    })
    const answer = await this.#node.core.sendTransaction(transaction.encoded)
    if (answer.status === 'refused') {
      this.#count(sending.label, `refused: ${answer.reason.replaceAll(/[0-9]+/g, 'n')}`)
      return
    }
    this.#nonces.set(key, nonce + 1n)
    this.#sent.push({ ...sending, hash: transaction.hash.toString('hex') })
  }

  /** Sends a call of the Bridge. */
  call(
    from: TestAccount,
    method: string,
    args: readonly unknown[],
    more: Partial<Omit<Sending, 'from'>> = {},
  ): Promise<void> {
    return this.send({ from, to: BRIDGE, data: encodeCall(method, args), label: method, ...more })
  }

  /** Asks the Bridge at the newest block; null when it throws. */
  async ask(method: string, args: readonly unknown[] = []): Promise<unknown> {
    const data = `0x${encodeCall(method, args).toString('hex')}`
    const params = [{ to: `0x${BRIDGE.toString('hex')}`, data, gas: '0x5f5e100' }, 'latest']
    const { context } = this.#node
    context.refresh()
    let text: string
    try {
      const raise = (_: string, error: unknown) => {
        throw error
      }
      const json = JSON.stringify(params)
      const answer = await executeRequest(
        context,
        ETH_CALL,
        '1',
        json,
        raise,
        preferencesOf('reference', 'cut'),
      )
      text = Buffer.from(bodyOf(answer)).toString('utf8')
    } finally {
      context.release()
    }
    const answer: { readonly result?: string } = JSON.parse(text)
    const type = typesOf(method).output
    if (answer.result === undefined || answer.result === '0x' || type === null) return null
    return AbiCoder.defaultAbiCoder().decode([type], answer.result)[0]
  }

  /** Makes a block, and tells what became of the transactions in it. */
  async block(): Promise<void> {
    this.#now.seconds += SECONDS_BETWEEN_BLOCKS
    await this.#node.core.mine()
    this.#number += 1
    const block = this.reader.blockByNumber(this.#number)
    if (block === null) throw new Error(`block ${this.#number} was not made`)
    const receipts = this.reader.receipts(block) ?? []
    const places = new Map(block.transactions.map(({ hashHex }, index) => [hashHex, index]))
    const waiting: Sent[] = []
    for (const sent of this.#sent) {
      const receipt = receipts[places.get(sent.hash) ?? -1]
      if (receipt === undefined) {
        waiting.push(sent)
        continue
      }
      const { success, gasUsed, logs } = receipt
      const names = namesOf(logs)
      const answer = answerIn(logs)
      const outcome = { success, gasUsed, logs, names, answer }
      this.#count(sent.label, describe(outcome))
      if (answer !== null) this.contractCalls.made += 1
      if (answer?.success) this.contractCalls.answered += 1
      const events = logs.map(({ topics, data }) =>
        [...topics, data].map((word) => word.toString('hex')).join(' '),
      )
      this.log.push(
        `${this.#number} ${places.get(sent.hash)} ${sent.hash} ${gasUsed} ${success} ${sent.label}\t${events.join(' | ')}\n`,
      )
      sent.done?.(outcome)
    }
    this.#sent = waiting
  }

  close(): Promise<void> {
    return this.#node.close()
  }

  #count(label: string, outcome: string): void {
    const key = `${label}\t${outcome}`
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}

/** Whether it failed, the events, and small numbers that the Bridge answered a contract with. */
function describe({ success, names, answer }: Outcome): string {
  const events = [...names].sort().join(' ')
  const parts = success ? [] : ['failed']
  if (answer !== null && !answer.success) parts.push('call failed')
  if (events !== '') parts.push(events)
  if (answer?.number != null) parts.push(`answer ${describeNumber(answer.number)}`)
  return parts.join(' ') || '-'
}

function describeNumber(number: bigint): string {
  if (number < -MAX_CODE) return 'below'
  return number > MAX_CODE ? 'above' : String(number)
}
