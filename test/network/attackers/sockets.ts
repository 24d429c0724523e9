import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeBytes, encodeList, encodeUnsigned } from '../../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../../src/p2p/messages/codes.ts'
import { EMPTY_PAYLOAD } from '../../../src/p2p/messages/p2pMessages.ts'
import { type AttackScene, forever } from './attackScene.ts'

const CROWD = 100
const HALF_OPEN_BLOCKS = 20
const HALF_OPEN_EACH = 15
const GARBAGE_BLOCKS = 4
const GARBAGE_EACH = 8
const GARBAGE_BYTES = 65_536
const KEEP_MS = 5000
/** The largest frame but for its last bytes, so that it is never whole. */
const ALMOST = 8_388_600
const DEEPEST = 8_000_000
const BOMBERS = 4
const HOLD_MS = 10_000

/** A hundred nodes of one block of addresses, each of which would be a peer. */
export function crowd(scene: AttackScene): void {
  let inside = 0
  for (let number = 1; number <= CROWD; number += 1) {
    forever(1000, async () => {
      const peer = await scene.connect(`127.251.${number % 5}.${number}`)
      if (peer === null) return
      // Who is sent away for want of a place is told so within a second.
      await sleep(1500)
      if (peer.isClosed) return scene.count('sent away')
      inside += 1
      scene.most('places', inside)
      while (!peer.isClosed) {
        peer.send(FRAME_CODES.ping, EMPTY_PAYLOAD)
        await sleep(KEEP_MS)
      }
      inside -= 1
    })
  }
}

/** Connections that never say anything. */
export function halfOpen(scene: AttackScene): void {
  let open = 0
  for (let block = 0; block < HALF_OPEN_BLOCKS; block += 1) {
    for (let number = 1; number <= HALF_OPEN_EACH; number += 1) {
      forever(200, async () => {
        const socket = await dial(scene, `127.${200 + block}.9.${number}`)
        scene.count('connections')
        open += 1
        scene.most('open', open)
        await once(socket, 'close')
        open -= 1
        scene.count('closed')
      })
    }
  }
}

/** Random bytes in the place of a handshake, of a frame and of a message. */
export function garbage(scene: AttackScene): void {
  for (let block = 0; block < GARBAGE_BLOCKS; block += 1) {
    for (let number = 1; number <= GARBAGE_EACH; number += 1) {
      forever(50, async () => {
        const socket = await dial(scene, `127.${230 + block}.9.${number}`)
        scene.count('connections')
        socket.write(randomBytes(GARBAGE_BYTES))
        await once(socket, 'close')
        scene.count('closed')
      })
    }
  }
  forever(100, async () => {
    const peer = await scene.connect(scene.nextAddress())
    peer?.write(randomBytes(GARBAGE_BYTES))
    await peer?.until(() => peer.isClosed)
    scene.count('frames closed')
    peer?.destroy()
  })
  forever(100, async () => {
    const peer = await scene.connect(scene.nextAddress())
    peer?.send(FRAME_CODES.rskMessage, randomBytes(GARBAGE_BYTES))
    await peer?.until(() => peer.isClosed)
    scene.count('messages closed')
    peer?.destroy()
  })
}

/** Frames that announce much and never end, lists of millions of elements, lists within lists. */
export function memoryBombs(scene: AttackScene): void {
  for (let number = 0; number < BOMBERS; number += 1)
    forever(200, async () => {
      const peer = await scene.connect(scene.nextAddress(), number % 2 === 1)
      if (peer === null) return
      peer.write(peer.frame(FRAME_CODES.rskMessage, Buffer.alloc(ALMOST, 1)).subarray(0, ALMOST))
      scene.count('endless frames')
      for (let slept = 0; slept < HOLD_MS && !peer.isClosed; slept += 100) await sleep(100)
      peer.destroy()
    })
  const bodies = bombs()
  for (let number = 0; number < BOMBERS; number += 1) {
    let at = number
    forever(200, async () => {
      const peer = await scene.connect(scene.nextAddress())
      if (peer === null) return
      const { type, body } = bodies[at % bodies.length] as (typeof bodies)[number]
      at += 1
      peer.send(FRAME_CODES.rskMessage, encodeList([encodeList([encodeUnsigned(type), encodeBytes(body)])]))
      scene.count('bombs')
      for (let slept = 0; slept < HOLD_MS && !peer.isClosed; slept += 100) await sleep(100)
      if (peer.isClosed) scene.count('closed')
      peer.destroy()
    })
  }
}

/** Types of which lists are read, with bodies that are short to send and long to read. */
function bombs(): { readonly type: number; readonly body: Buffer }[] {
  const many = encodeList([Buffer.alloc(DEEPEST, 0x80)])
  const lists = encodeList([encodeUnsigned(1), encodeList([encodeList([Buffer.alloc(DEEPEST, 0xc0)])])])
  const transactions = encodeList([Buffer.alloc(DEEPEST, 0xc0)])
  const block = encodeList([encodeBytes(encodeList([Buffer.alloc(DEEPEST, 0xc0)]))])
  return [
    { type: 6, body: many },
    { type: 7, body: transactions },
    { type: 2, body: block },
    { type: 10, body: lists },
    { type: 13, body: lists },
    { type: 15, body: lists },
    { type: 23, body: lists },
    { type: 25, body: lists },
    { type: 7, body: deep() },
    { type: 2, body: deep() },
    { type: 10, body: deep() },
  ]
}

/** Lists within lists, a million deep: each says that the rest is in it. */
function deep(): Buffer {
  const levels = 1_000_000
  const bytes = Buffer.alloc(levels * 4)
  for (let level = 0; level < levels; level += 1) {
    bytes[level * 4] = 0xfa
    bytes.writeUIntBE(bytes.length - level * 4 - 4, level * 4 + 1, 3)
  }
  return bytes
}

async function dial({ victim }: AttackScene, localAddress: string): Promise<Socket> {
  const socket = connect({ host: victim.address, port: victim.port, localAddress })
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  return socket
}
