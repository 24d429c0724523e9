import { setTimeout as sleep } from 'node:timers/promises'
import { FRAME_CODES } from '../../../src/p2p/messages/codes.ts'
import { encodeEthStatus } from '../../../src/p2p/messages/ethStatus.ts'
import { RHIZOME_CAPABILITY, RSK_CAPABILITY } from '../../../src/p2p/messages/hello.ts'
import type { PeerAddress } from '../../../src/p2p/peers/ports.ts'
import { RawPeer } from '../../support/rawPeer.ts'
import { WEIGHTY } from '../../support/syncScene.ts'
import { type Chains, toBlock } from '../long/chains.ts'

const FIRST_BLOCK = 60
const BLOCKS = 190
const HOSTS = 250
const RETRY_MS = 100

/** What an attack knows: whom it is after, the chains, and how it tells what it did. */
export class AttackScene {
  readonly victim: PeerAddress
  readonly chains: Chains
  readonly stats: Record<string, number> = {}
  /** Blocks of the honest chain so far, genesis among them. */
  length: number
  readonly #number: number
  #addresses = 0

  /** @param number keeps the addresses of attacks apart */
  constructor(victim: PeerAddress, chains: Chains, number: number) {
    this.victim = victim
    this.chains = chains
    this.length = chains.known
    this.#number = number
  }

  /** Whether the node has had the whole chain and follows it now. */
  get isGrowing(): boolean {
    return this.length > this.chains.known
  }

  count(figure: string, by = 1): void {
    this.stats[figure] = (this.stats[figure] ?? 0) + by
  }

  most(figure: string, value: number): void {
    this.stats[figure] = Math.max(this.stats[figure] ?? 0, value)
  }

  /** An address of loopback that was not used before, in another block of addresses than the ones before. */
  nextAddress(): string {
    const at = this.#addresses
    this.#addresses += 1
    return `127.${FIRST_BLOCK + (at % BLOCKS)}.${1 + (Math.floor(at / BLOCKS) % HOSTS)}.${1 + this.#number}`
  }

  /** A connection that is a peer and says nothing more by itself; null when the node does not want it. */
  async connect(address: string, ranges = false): Promise<RawPeer | null> {
    const { victim } = this
    let peer: RawPeer
    try {
      peer = await RawPeer.connect(victim.port, victim.address, address)
      const auth = peer.authFor(Buffer.from(victim.id, 'hex'))
      peer.expectAck(auth)
      peer.write(auth)
      await peer.until(() => peer.ackBytes > 0 || peer.isClosed)
      if (peer.isClosed) throw new Error('closed')
    } catch {
      this.count('not let in')
      await sleep(RETRY_MS)
      return null
    }
    const genesisHash = toBlock(this.chains.honest[0] as Uint8Array).hash
    peer.sendHello({ capabilities: ranges ? [RSK_CAPABILITY, RHIZOME_CAPABILITY] : [RSK_CAPABILITY] })
    const { networkId } = WEIGHTY.p2p
    const status = { protocolVersion: 62, networkId, totalDifficulty: 1n, bestHash: genesisHash, genesisHash }
    peer.send(FRAME_CODES.ethStatus, encodeEthStatus(status))
    this.count('connections')
    return peer
  }
}

/** Does something again and again, whatever becomes of it, and never without a pause. */
export function forever(pause: number, action: () => Promise<unknown> | unknown): void {
  const again = async () => {
    for (;;) {
      try {
        await action()
      } catch {
        // Of an attacker nothing is expected.
      }
      await sleep(pause)
    }
  }
  void again()
}
