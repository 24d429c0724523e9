import type { Connection } from '../../../../src/p2p/connection/connection.ts'
import type { ConnectionOptions } from '../../../../src/p2p/connection/connectionOptions.ts'
import { accept } from '../../../../src/p2p/connection/transport.ts'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import type { Hello } from '../../../../src/p2p/messages/hello.ts'
import { decodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../../src/p2p/messages/rskMessage.ts'
import { connectionOptions, TestListener } from '../../../support/connections.ts'
import { RawPeer } from '../../../support/rawPeer.ts'

/** A node that takes one connection and reads all of its messages, and the peer that dials it. */
export class BehaviourNode {
  readonly peer: RawPeer
  readonly options: ConnectionOptions
  /** Messages that were read. */
  readonly messages: PeerMessage[] = []

  private constructor(peer: RawPeer, options: ConnectionOptions) {
    this.peer = peer
    this.options = options
  }

  /** Runs with a node that waits for auth. */
  static async run(test: (node: BehaviourNode) => Promise<void>): Promise<void> {
    const listener = new TestListener()
    const peer = await RawPeer.connect(await listener.listen())
    const node = new BehaviourNode(peer, connectionOptions())
    try {
      const accepted = listener.socket().then((socket) => accept(socket, node.options))
      // A handshake that fails is what some of the peers are after.
      accepted.then((connection) => node.#read(connection)).catch(() => {})
      await test(node)
    } finally {
      peer.destroy()
      listener.close()
    }
  }

  /** The same, after auth, ack and both HELLO. */
  static async runConnected(
    test: (node: BehaviourNode) => Promise<void>,
    hello: Partial<Hello> = {},
  ): Promise<void> {
    await BehaviourNode.run(async (node) => {
      await node.sayHello(hello)
      if ((await node.peer.receive(FRAME_CODES.hello)) === null) throw new Error('no HELLO came')
      await test(node)
    })
  }

  async sayHello(hello: Partial<Hello> = {}): Promise<void> {
    await this.peer.shakeHands(this.options.key.id)
    this.peer.sendHello(hello)
  }

  #read(connection: Connection): void {
    connection.onFrame((code, payload) => {
      if (code === FRAME_CODES.rskMessage) this.messages.push(decodePeerMessage(code, payload))
    })
  }
}
