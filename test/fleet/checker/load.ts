import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../../src/util/bytes.ts'
import { BitcoinPool } from '../../support/bitcoinPool.ts'
import { signedTransaction, type TestAccount } from '../../support/signedTransaction.ts'
import { type Entry, type FilterKind, type HistoryWriter, logName } from './history.ts'
import { CheckedMiner } from './miner.ts'
import { type AskedMember, type ClientKey, RecordingClient } from './recordingClient.ts'
import { HeadSubscriber } from './subscriber.ts'

export interface LoadOptions {
  readonly writer: HistoryWriter
  /** Members that may be asked now, whatever state they are in. */
  readonly members: () => readonly AskedMember[]
  readonly random: () => number
  /** Key of all requests but those that try a rate; null where the fleet has no keys. */
  readonly key: ClientKey | null
  /** Key of the subscriptions, whose requests the history does not have. */
  readonly uncounted: ClientKey | null
  /** Keys that are used as fast as the fleet answers, and requests that are made with each at the same time. */
  readonly spent: readonly { readonly key: ClientKey; readonly clients: number }[]
  /** Accounts with funds, each for one client. */
  readonly accounts: readonly TestAccount[]
  /** A contract whose logs are searched and watched, and the call that has it write some. */
  readonly contract: { readonly address: string; readonly log: Buffer }
  /** Milliseconds after which a client gives a request up. */
  readonly timeout: number
  /** Milliseconds between two blocks that pools find; 0 where the members make blocks themselves. */
  readonly blockEvery: number
  /** Whether pools find blocks by which the chain reorganises. */
  readonly reorganises: boolean
}

const READERS = 3
const PAUSE_MS = 10
const POLL_PAUSE_MS = 120
const USAGE_PAUSE_MS = 250
/** Of a request that has to be answered. */
const ATTEMPTS = 50
const SPEND_PAUSE_MS = 2
/** Costs of methods in units (src/gateway/access/README.md). */
const UNITS = { block: 3, send: 10, filter: 2, logs: 20 }
const GAS_LIMIT = 200_000n
const SUBSCRIBER_ID = 1000
/** Blocks that a search goes back. */
const RANGE = 12
const KINDS: readonly FilterKind[] = ['blocks', 'logs', 'transactions']

interface OpenFilter {
  readonly id: string
  readonly owner: number
  readonly of: FilterKind
}

/** Clients of all kinds that choose a member at random for each request, and write down what they are told. */
export class CheckedLoad {
  readonly #options: LoadOptions
  readonly #tasks: Promise<void>[] = []
  readonly #clients: RecordingClient[] = []
  readonly #filters: OpenFilter[] = []
  readonly #miner: CheckedMiner
  readonly #subscriber: HeadSubscriber
  #stopped = false
  #isHandedOver = false
  /** Hashes that were acknowledged. */
  readonly transactions = new Set<string>()
  readonly blocks = new Set<string>()

  constructor(options: LoadOptions) {
    this.#options = options
    this.#miner = new CheckedMiner({
      ...{ pool: new BitcoinPool('/fleet/', options.random), blocks: this.blocks },
      anyMember: () => this.#anyMember(),
      charged: (units) => this.#charged(units),
      isStopped: () => this.#stopped,
    })
    const { writer, random, uncounted, timeout } = options
    this.#subscriber = new HeadSubscriber({
      ...{ id: SUBSCRIBER_ID, writer, random, key: uncounted, timeout },
      anyMember: () => this.#anyMember(),
    })
  }

  start(): void {
    for (let reader = 0; reader < READERS; reader += 1) this.#repeat(PAUSE_MS, (client) => this.#read(client))
    this.#tasks.push(this.#subscriber.run())
    for (const account of this.#options.accounts) {
      const sender = new Sender(account, this.#options.contract)
      this.#repeat(PAUSE_MS, (client) => this.#send(client, sender))
    }
    for (const of of KINDS) this.#repeat(POLL_PAUSE_MS, (client) => this.#watch(client, of))
    this.#repeat(PAUSE_MS, (client) => this.#search(client))
    const { key, spent, blockEvery } = this.#options
    if (key !== null)
      this.#repeat(USAGE_PAUSE_MS, async (client) => {
        await client.usage(this.#anyMember(), key)
      })
    for (const { key: used, clients } of spent)
      for (let index = 0; index < clients; index += 1)
        this.#repeat(SPEND_PAUSE_MS, (client) => this.#spend(client, used))
    if (blockEvery > 0)
      this.#repeat(blockEvery, (client) =>
        this.#options.reorganises ? this.#miner.reorganise(client) : this.#miner.solve(client),
      )
  }

  /** From now on filters may have another owner than the member that made them. */
  handedOver(): void {
    this.#isHandedOver = true
  }

  /** Ends all clients, and waits for what they have under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#subscriber.stop()
    await Promise.all(this.#tasks)
  }

  /** Asks for filters and heads once more, now that all has to be answered: the load must be stopped. */
  async finish(): Promise<void> {
    const client = this.#client()
    for (const filter of this.#filters) await insist(() => this.#poll(client, filter, true))
    for (const member of this.#options.members()) await insist(() => this.#askHead(client, member, true))
  }

  /** Waits until the subscription has told of the last head. */
  async finishSubscription(head: string): Promise<void> {
    await this.#subscriber.finish(head)
  }

  /** Asks for the usage once more, and closes all connections. */
  async finishUsage(): Promise<void> {
    const client = this.#client()
    const { key, members } = this.#options
    if (key !== null) for (const member of members()) await insist(() => client.usage(member, key, true))
    for (const one of this.#clients) one.close()
  }

  #client(): RecordingClient {
    const client = new RecordingClient(this.#clients.length, this.#options.writer, this.#options.timeout)
    this.#clients.push(client)
    return client
  }

  #repeat(pause: number, action: (client: RecordingClient) => Promise<void>): void {
    const client = this.#client()
    const run = async () => {
      while (!this.#stopped) {
        await action(client)
        await sleep(pause * (0.5 + this.#options.random()))
      }
    }
    this.#tasks.push(run())
  }

  #anyMember(): AskedMember {
    const members = this.#options.members()
    return members[Math.floor(this.#options.random() * members.length)] as AskedMember
  }

  async #read(client: RecordingClient): Promise<void> {
    const member = this.#anyMember()
    const { accounts, random } = this.#options
    if (random() < 0.7) {
      await this.#askHead(client, member)
      return
    }
    const account = accounts[Math.floor(random() * accounts.length)] as TestAccount
    const address = toHex(account.address)
    await client.ask(member, {
      ...this.#charged(1),
      operation: { kind: 'count', account: address },
      method: 'eth_getTransactionCount',
      params: [address, 'pending'],
      value: Number,
    })
  }

  async #askHead(client: RecordingClient, member: AskedMember, healed = false): Promise<Entry> {
    const common = { operation: { kind: 'head' }, ...(healed ? { healed: true as const } : {}) } as const
    if (this.#options.random() < 0.5) {
      const { entry } = await client.ask(member, {
        ...{ ...common, ...this.#charged(1), method: 'eth_blockNumber' },
        head: (result) => ({ number: Number(result), hash: null }),
      })
      return entry
    }
    const { entry } = await client.ask(member, {
      ...{
        ...common,
        ...this.#charged(UNITS.block),
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
      },
      head: (result) => {
        const { number, hash } = result as { readonly number: string; readonly hash: string }
        return { number: Number(number), hash }
      },
    })
    return entry
  }

  async #send(client: RecordingClient, sender: Sender): Promise<void> {
    const member = this.#anyMember()
    if (sender.next === null) {
      const { result } = await client.ask(member, {
        ...this.#charged(1),
        operation: { kind: 'count', account: sender.address },
        method: 'eth_getTransactionCount',
        params: [sender.address, 'pending'],
        value: Number,
      })
      if (result !== undefined) sender.next = Number(result)
      return
    }
    const { hash, raw } = sender.transaction(sender.next)
    const { result } = await client.ask(member, {
      ...this.#charged(UNITS.send),
      operation: { kind: 'send', hash, account: sender.address, nonce: sender.next },
      method: 'eth_sendRawTransaction',
      params: [raw],
      value: String,
    })
    // Without an acknowledgement the same one is sent again, to whichever member.
    if (result === undefined) return
    this.transactions.add(String(result))
    sender.next += 1
  }

  async #watch(client: RecordingClient, of: FilterKind): Promise<void> {
    const own = this.#filters.filter((filter) => filter.of === of)
    const { members, contract } = this.#options
    // One filter of each kind by each member.
    const without = members().find(({ member }) => own.every(({ owner }) => owner !== member))
    if (without !== undefined) {
      const address = of === 'logs' ? contract.address : null
      const { result } = await client.ask(without, {
        ...this.#charged(UNITS.filter),
        operation: { kind: 'newFilter', of, address },
        method: {
          blocks: 'eth_newBlockFilter',
          logs: 'eth_newFilter',
          transactions: 'eth_newPendingTransactionFilter',
        }[of],
        params: of === 'logs' ? [{ address }] : [],
        value: String,
      })
      if (result !== undefined) this.#filters.push({ id: String(result), owner: without.member, of })
    }
    for (const filter of own) await this.#poll(client, filter)
  }

  async #poll(client: RecordingClient, { id, owner, of }: OpenFilter, healed = false): Promise<Entry> {
    const { entry } = await client.ask(this.#anyMember(), {
      ...this.#charged(UNITS.filter),
      ...(healed ? { healed: true as const } : {}),
      operation: { kind: 'poll', filter: id, owner: this.#isHandedOver ? null : owner },
      method: 'eth_getFilterChanges',
      params: [id],
      value: (result) => (of === 'logs' ? logNames(result) : (result as string[])),
    })
    return entry
  }

  async #search(client: RecordingClient): Promise<void> {
    const { result } = await client.ask(this.#anyMember(), {
      ...{ ...this.#charged(1), operation: { kind: 'head' }, method: 'eth_blockNumber' },
      head: (number) => ({ number: Number(number), hash: null }),
    })
    if (result === undefined) return
    const to = Number(result)
    const from = Math.max(1, to - RANGE)
    const { address } = this.#options.contract
    await client.ask(this.#anyMember(), {
      ...this.#charged(UNITS.logs),
      operation: { kind: 'logs', from, to, address },
      method: 'eth_getLogs',
      params: [{ address, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }],
      value: logNames,
    })
  }

  async #spend(client: RecordingClient, key: ClientKey): Promise<void> {
    const method = 'eth_chainId'
    await client.ask(this.#anyMember(), { operation: { kind: 'other', method }, method, key, units: 1 })
  }

  #charged(units: number): { readonly key?: ClientKey; readonly units?: number } {
    const { key } = this.#options
    return key === null ? {} : { key, units }
  }
}

/** Asks until there is an answer: a round may hold a member at any time. */
async function insist(ask: () => Promise<Entry>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if ((await ask()).outcome.kind === 'answered') return
    await sleep(POLL_PAUSE_MS)
  }
}

/** Transactions of one account, one after the other; each is made once, however often it is sent. */
class Sender {
  readonly address: string
  next: number | null = null
  readonly #account: TestAccount
  readonly #contract: LoadOptions['contract']
  #made: { readonly nonce: number; readonly hash: string; readonly raw: string } | null = null

  constructor(account: TestAccount, contract: LoadOptions['contract']) {
    this.address = toHex(account.address)
    this.#account = account
    this.#contract = contract
  }

  transaction(nonce: number): { readonly hash: string; readonly raw: string } {
    if (this.#made?.nonce === nonce) return this.#made
    const transaction = signedTransaction({
      from: this.#account,
      nonce: BigInt(nonce),
      gasLimit: GAS_LIMIT,
      to: Buffer.from(this.#contract.address.slice(2), 'hex'),
      value: 0n,
      data: this.#contract.log,
    })
    this.#made = { nonce, hash: toHex(transaction.hash), raw: toHex(transaction.encoded) }
    return this.#made
  }
}

/** Names of the logs of an answer. */
export function logNames(result: unknown): string[] {
  return (result as { blockHash: string; logIndex: string; removed?: boolean }[]).map((log) =>
    logName(log.blockHash, Number(log.logIndex), log.removed === true),
  )
}
