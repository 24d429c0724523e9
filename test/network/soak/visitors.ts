import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { regtest } from '../../../src/config/networks/regtest.ts'
import { FRAME_CODES } from '../../../src/p2p/messages/codes.ts'
import { encodeEthStatus } from '../../../src/p2p/messages/ethStatus.ts'
import { encodePeerMessage } from '../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../src/p2p/messages/rskMessage.ts'
import { RawPeer } from '../../support/rawPeer.ts'
import { accountOfSeed, signedTransaction } from '../../support/signedTransaction.ts'

export interface VisitorsOptions {
  readonly enode: string
  readonly port: number
  readonly genesis: Buffer
  readonly random: () => number
}

/** Pause between the ends of a visit and the beginning of the next, milliseconds, at most. */
const PAUSE_MS = 500
/** Visits at a time. */
const LANES = 4
const MAX_MESSAGES = 20
/** Where a visit may end. */
const ENDS = ['connect', 'auth', 'hello', 'status', 'messages', 'messages', 'messages'] as const

/** Connections from many addresses that each go so far and leave. */
export class Visitors {
  count = 0
  readonly #options: VisitorsOptions
  readonly #nodeId: Buffer

  constructor(options: VisitorsOptions) {
    this.#options = options
    this.#nodeId = Buffer.from(/^enode:\/\/([0-9a-f]{128})@/.exec(options.enode)?.[1] ?? '', 'hex')
  }

  /** Visits until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        while (!signal.aborted) {
          // The node may refuse or close at any point: that is its right.
          await this.#visit().catch(() => undefined)
          this.count += 1
          await sleep(this.#options.random() * PAUSE_MS)
        }
      }),
    )
  }

  async #visit(): Promise<void> {
    const { port, random } = this.#options
    const end = this.#pick(ENDS)
    const address = `127.${1 + Math.floor(random() * 250)}.${Math.floor(random() * 250)}.1`
    const peer = await RawPeer.connect(port, '127.0.0.1', address)
    try {
      if (end === 'connect') return
      if (end === 'auth') return peer.write(peer.authFor(this.#nodeId).subarray(0, 100))
      await peer.shakeHands(this.#nodeId)
      peer.sendHello()
      if (end === 'hello') return
      peer.send(FRAME_CODES.ethStatus, this.#ethStatus())
      if (!(await peer.isAnswered()) || end === 'status') return
      const messages = 1 + Math.floor(random() * MAX_MESSAGES)
      for (let sent = 0; sent < messages; sent += 1) this.#send(peer, this.#message())
      await peer.isAnswered()
    } finally {
      peer.destroy()
    }
  }

  #send(peer: RawPeer, message: PeerMessage): void {
    const { code, payload } = encodePeerMessage(message)
    peer.send(code, payload)
  }

  #message(): PeerMessage {
    const { random, genesis } = this.#options
    const id = BigInt(Math.floor(random() * 2 ** 48))
    const height = 1 + Math.floor(random() * 2000)
    const unknown = randomBytes(32)
    return this.#pick<() => PeerMessage>([
      () => ({ type: 'blockHashRequest', id, height }),
      () => ({ type: 'skeletonRequest', id, startNumber: height }),
      () => ({ type: 'blockHeadersRequest', id, hash: genesis, count: 192 }),
      () => ({ type: 'bodyRequest', id, hash: unknown }),
      () => ({ type: 'getBlock', hash: unknown }),
      () => ({ type: 'newBlockHashes', blocks: [{ hash: unknown, number: height }] }),
      () => ({ type: 'status', status: this.#status() }),
      () => ({ type: 'transactions', transactions: [this.#transaction()] }),
    ])()
  }

  /** Of an account without means: the pool has to judge it. */
  #transaction(): Buffer {
    const from = accountOfSeed(`visitor ${this.#options.random()}`)
    return signedTransaction({ from, nonce: 0n, gasPrice: 1_000_000_000n }).encoded
  }

  #status() {
    const { genesis } = this.#options
    return { bestNumber: 0, bestHash: genesis, bestParentHash: genesis, totalDifficulty: 1n }
  }

  #ethStatus(): Buffer {
    const { genesis } = this.#options
    return encodeEthStatus({
      protocolVersion: 62,
      networkId: regtest.p2p.networkId,
      totalDifficulty: 1n,
      bestHash: genesis,
      genesisHash: genesis,
    })
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#options.random() * items.length)] as T
  }
}
