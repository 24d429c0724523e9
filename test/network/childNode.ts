import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PeerAddress } from '../../src/p2p/peers/ports.ts'
import type { FromChild, ToChild } from './childMessages.ts'
import type { Place, TestNetwork } from './testNetwork.ts'

/** A node that has peers and blocks of a few bytes, in a process of its own. */
export class ChildNode {
  readonly place: Place
  /** Where others find it. */
  readonly contact: PeerAddress
  /** What it said last. */
  report: Extract<FromChild, { type: 'report' }> = { type: 'report', peers: [], blocks: [], residentBytes: 0 }
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, place: Place, contact: PeerAddress) {
    this.#child = child
    this.place = place
    this.contact = contact
    child.on('message', (message: FromChild) => {
      if (message.type === 'report') this.report = message
    })
  }

  /** Starts a node and lets others reach it. */
  static async start(network: TestNetwork): Promise<ChildNode> {
    const place = network.place()
    const child = fork(fileURLToPath(new URL('./childMain.ts', import.meta.url)), [place.address])
    const [opened] = (await once(child, 'message')) as [Extract<FromChild, { type: 'opened' }>]
    await network.connect(place, opened.port)
    return new ChildNode(child, place, { id: opened.id, address: place.open, port: opened.port })
  }

  /** Tells it of others: it dials them, again and again. */
  meet(others: readonly PeerAddress[]): void {
    this.#post({ type: 'meet', contacts: others })
  }

  /** Has it make a block and give it to its peers. @param number names the block */
  mine(number: number): void {
    this.#post({ type: 'mine', number })
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#post({ type: 'stop' })
    await once(this.#child, 'exit')
  }

  #post(message: ToChild): void {
    this.#child.send(message)
  }
}
