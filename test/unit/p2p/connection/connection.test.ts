import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import type { CloseReason, Connection } from '../../../../src/p2p/connection/connection.ts'
import { accept, dial } from '../../../../src/p2p/connection/transport.ts'
import { DISCONNECT_REASONS, FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import { RHIZOME_CAPABILITY, RSK_CAPABILITY } from '../../../../src/p2p/messages/hello.ts'
import { EMPTY_PAYLOAD, encodeDisconnect } from '../../../../src/p2p/messages/p2pMessages.ts'
import { createNodeKey } from '../../../../src/p2p/wire/curve.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'
import {
  connectionOptions,
  connectPair,
  PATIENT_TIMINGS,
  TestListener,
} from '../../../support/connections.ts'
import { RawPeer } from '../../../support/rawPeer.ts'

const { rskMessage, rangeMessage, disconnect, ping, pong } = FRAME_CODES

t.test('both ends know one another', async (t) => {
  const one = connectionOptions({ client: `a\u0000b\n${'x'.repeat(500)}`, listenPort: 5050 })
  const other = connectionOptions()
  const { dialled, accepted, close } = await connectPair(one, other)
  t.teardown(close)
  t.strictSame(dialled.remoteId, other.key.id)
  t.strictSame(accepted.remoteId, one.key.id)
  t.equal(accepted.address.replace('::ffff:', ''), '127.0.0.1')
  t.equal(accepted.hello.listenPort, 5050)
  t.equal(accepted.hello.client.length, 256)
  t.ok(accepted.hello.client.startsWith('abxx'))
  t.equal(dialled.inbound, false)
  t.equal(accepted.inbound, true)
  t.ok(dialled.shares('rsk', 62))
  t.notOk(dialled.shares('rhizome', 1))
})

t.test('frames wait until they are asked for, come in order, and one at a time', async (t) => {
  const { dialled, accepted, close } = await connectPair(connectionOptions(), connectionOptions())
  t.teardown(close)
  const payloads = Array.from({ length: 40 }, (_, index) => randomBytes(1 + index * 997))
  for (const payload of payloads) dialled.send(rskMessage, payload)
  const found: Buffer[] = []
  let open = 0
  await new Promise<void>((resolve) => {
    accepted.onFrame(async (code, payload) => {
      open += 1
      t.equal(open, 1)
      t.equal(code, rskMessage)
      found.push(payload)
      await new Promise((done) => setImmediate(done))
      open -= 1
      if (found.length === payloads.length) resolve()
    })
  })
  t.strictSame(found, payloads)
  t.ok(accepted.bytesIn >= payloads.reduce((sum, { length }) => sum + length, 0))
})

t.test('while a frame is dealt with no more is read than the socket holds', async (t) => {
  const { dialled, accepted, close } = await connectPair(connectionOptions(), connectionOptions())
  t.teardown(close)
  let release = (): void => {}
  const isHeld = new Promise<void>((resolve) => {
    accepted.onFrame(() => {
      resolve()
      return new Promise<void>((done) => {
        release = done
      })
    })
  })
  const large = randomBytes(1 << 20)
  dialled.send(rskMessage, Buffer.from([0xc0]))
  await isHeld
  const before = accepted.bytesIn
  for (let count = 0; count < 12; count += 1) dialled.send(rskMessage, large)
  for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done))
  t.ok(accepted.bytesIn - before < 1 << 20, `${accepted.bytesIn - before} bytes`)
  t.ok(dialled.bufferedBytes > 0)
  release()
})

t.test('DISCONNECT tells the reason, and both ends are told once', async (t) => {
  const { dialled, accepted, close } = await connectPair(connectionOptions(), connectionOptions())
  t.teardown(close)
  const told = [closeOf(dialled), closeOf(accepted)]
  accepted.onFrame(() => {})
  dialled.close(DISCONNECT_REASONS.tooManyPeers)
  dialled.close()
  dialled.send(rskMessage, Buffer.from([0xc0]))
  t.strictSame(await Promise.all(told), [
    { kind: 'local', reason: DISCONNECT_REASONS.tooManyPeers },
    { kind: 'remote', reason: DISCONNECT_REASONS.tooManyPeers },
  ])
  t.strictSame(await closeOf(accepted), { kind: 'remote', reason: DISCONNECT_REASONS.tooManyPeers })
})

t.test('an end without a word is an end', async (t) => {
  const { dialled, accepted, close } = await connectPair(connectionOptions(), connectionOptions())
  t.teardown(close)
  accepted.onFrame(() => {})
  const told = closeOf(accepted)
  dialled.close()
  t.strictSame(await told, { kind: 'ended' })
})

t.test('what the listener throws closes: the fault of the other end, or ours', async (t) => {
  const faults = [new P2pError('MESSAGE', 'theirs'), new Error('ours')]
  for (const error of faults) {
    for (const isLater of [false, true]) {
      const { dialled, accepted, close } = await connectPair(connectionOptions(), connectionOptions())
      accepted.onFrame(() => {
        if (isLater) return Promise.reject(error)
        throw error
      })
      const told = closeOf(accepted)
      dialled.send(rskMessage, Buffer.from([0xc0]))
      t.strictSame(await told, { kind: error instanceof P2pError ? 'error' : 'failure', error })
      close()
    }
  }
})

t.test('ranges come only from who announced them', async (t) => {
  for (const [theirs, kept] of [
    [[RSK_CAPABILITY], false],
    [[RSK_CAPABILITY, RHIZOME_CAPABILITY], true],
  ] as const) {
    const options = connectionOptions({ capabilities: [RSK_CAPABILITY, RHIZOME_CAPABILITY] })
    await withRawPeer(options, async (peer, accepted) => {
      accepted.onFrame(() => {})
      peer.sendHello({ capabilities: theirs })
      peer.send(rangeMessage, Buffer.from([0xc0]))
      t.equal(await peer.isAnswered(), kept)
    })
  }
})

t.test('who sends PINGs and reads nothing costs one PONG', async (t) => {
  const timings = { ...PATIENT_TIMINGS, ping: 1e6 }
  const { dialled, accepted, close } = await connectPair(
    connectionOptions({ timings }),
    connectionOptions({ timings }),
  )
  t.teardown(close)
  accepted.onFrame(() => {})
  // Nobody reads at the other end: its listener is missing.
  accepted.send(rskMessage, randomBytes(7 << 20))
  const before = accepted.bytesOut
  t.ok(accepted.bufferedBytes > 1 << 20)
  const last = new Promise<void>((resolve) => accepted.onFrame(() => resolve()))
  for (let count = 0; count < 200; count += 1) dialled.send(ping, EMPTY_PAYLOAD)
  dialled.send(rskMessage, Buffer.from([0xc0]))
  await last
  t.equal(accepted.bytesOut, before)
})

t.test('DISCONNECT instead of HELLO is told', async (t) => {
  const listener = new TestListener()
  const port = await listener.listen()
  t.teardown(() => listener.close())
  const options = connectionOptions()
  const answered = listener.socket().then((socket) => accept(socket, options))
  const peer = await RawPeer.connect(port)
  t.teardown(() => peer.destroy())
  await peer.shakeHands(options.key.id)
  peer.send(disconnect, encodeDisconnect(4))
  await t.rejects(answered, { name: 'P2pError', code: 'ENDED', disconnectReason: 4 })
})

t.test('garbage before and after the handshake ends it with a typed error', async (t) => {
  const options = connectionOptions()
  const listener = new TestListener()
  const port = await listener.listen()
  t.teardown(() => listener.close())
  for (let length = 1; length < 100_000; length = length * 3 + 1) {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    await once(socket, 'connect')
    const answered = listener.socket().then((taken) => accept(taken, options))
    socket.end(randomBytes(length))
    await t.rejects(answered, P2pError, `${length} bytes`)
    socket.destroy()
  }
  await withRawPeer(options, async (peer, accepted) => {
    accepted.onFrame(() => {})
    const told = closeOf(accepted)
    peer.sendHello()
    peer.write(randomBytes(64))
    t.match(await told, { kind: 'error', error: { code: 'FRAME' } })
  })
})

t.test('who answers a dial with garbage, or not at all, is left', async (t) => {
  const listener = new TestListener()
  const port = await listener.listen()
  t.teardown(() => listener.close())
  const options = connectionOptions()
  const hasty = connectionOptions({ timings: { ...PATIENT_TIMINGS, handshake: 300 } })
  const target = { address: '127.0.0.1', port, id: createNodeKey(randomBytes).id.toString('hex') }
  const garbage = dial(target, hasty)
  void listener.socket().then((socket) => socket.write(randomBytes(1000)))
  await t.rejects(garbage, P2pError)

  await t.rejects(dial(target, hasty), { code: 'TIMEOUT' })
  t.ok((await listener.socket()).remotePort)

  const stop = new AbortController()
  const stopped = dial(target, options, stop.signal)
  await listener.socket()
  stop.abort()
  await t.rejects(stopped, { code: 'ABORTED' })
  await t.rejects(dial(target, options, AbortSignal.abort()), { code: 'ABORTED' })

  const ended = dial(target, options)
  void listener.socket().then((socket) => socket.destroy())
  await t.rejects(ended, { code: 'ENDED' })

  await t.rejects(dial({ ...target, id: '01'.repeat(64) }, options), { code: 'HANDSHAKE' })
})

t.test('half-open connections end at the deadline', async (t) => {
  const options = connectionOptions({ timings: { ...PATIENT_TIMINGS, handshake: 200 } })
  const listener = new TestListener()
  const port = await listener.listen()
  t.teardown(() => listener.close())
  const peer = await RawPeer.connect(port)
  t.teardown(() => peer.destroy())
  const answered = listener.socket().then((socket) => accept(socket, options))
  peer.write(peer.authFor(options.key.id).subarray(0, 320))
  await t.rejects(answered, { code: 'TIMEOUT' })
  t.equal(await peer.closed(), null)
})

t.test('silence: a PING that is not answered ends it, one that is does not', async (t) => {
  let now = 0
  const timings = { ...PATIENT_TIMINGS, ping: 5, pong: 100, idle: 10_000 }
  const options = connectionOptions({ timings, clock: () => now })
  await withRawPeer(options, async (peer, accepted) => {
    accepted.onFrame(() => {})
    const told = closeOf(accepted)
    peer.sendHello()
    t.ok(await peer.receive(ping))
    now = 99
    peer.send(pong, EMPTY_PAYLOAD)
    t.ok(await peer.receive(ping), 'another one after the answer')
    now = 99 + 100
    t.match(await told, { kind: 'error', error: { code: 'TIMEOUT' } })
    t.equal(await peer.closed(), DISCONNECT_REASONS.pingTimeout)
  })
})

t.test('time in which we do not read is not held against the other end', async (t) => {
  let now = 0
  const timings = { ...PATIENT_TIMINGS, ping: 5, pong: 100, idle: 200 }
  const options = connectionOptions({ timings, clock: () => now })
  await withRawPeer(options, async (peer, accepted) => {
    let release = (): void => {}
    const isHeld = new Promise<void>((resolve) => {
      accepted.onFrame(() => {
        resolve()
        return new Promise<void>((done) => {
          release = done
        })
      })
    })
    peer.sendHello()
    peer.send(rskMessage, Buffer.from([0xc0]))
    await isHeld
    t.ok(await peer.receive(ping))
    now = 1000
    peer.send(pong, EMPTY_PAYLOAD)
    release()
    t.ok(await peer.isAnswered())
  })
})

t.test('who takes nothing of what is sent is left', async (t) => {
  let now = 0
  const timings = { ...PATIENT_TIMINGS, ping: 5, pong: 1e6, idle: 1e6, stall: 100 }
  const { dialled, accepted, close } = await connectPair(
    connectionOptions({ timings, clock: () => now }),
    connectionOptions(),
  )
  t.teardown(close)
  dialled.onFrame(() => {})
  const told = closeOf(dialled)
  for (let count = 0; count < 3; count += 1) dialled.send(rskMessage, Buffer.alloc(7 << 20))
  const clock = setInterval(() => {
    now += 20
  }, 10)
  t.teardown(() => clearInterval(clock))
  t.match(await told, { kind: 'error', error: { code: 'TIMEOUT' } })
  t.ok(accepted)
})

function closeOf(connection: Pick<Connection, 'onClose'>): Promise<CloseReason> {
  return new Promise((resolve) => connection.onClose(resolve))
}

/** A connection from a peer that has shaken hands; HELLO is up to the test, which gets ours at once with `accepted`. */
async function withRawPeer(
  options: ReturnType<typeof connectionOptions>,
  test: (peer: RawPeer, accepted: Pick<Connection, 'onFrame' | 'onClose'>) => Promise<void>,
): Promise<void> {
  const listener = new TestListener()
  const peer = await RawPeer.connect(await listener.listen())
  try {
    const connection = listener.socket().then((socket) => accept(socket, options))
    await peer.shakeHands(options.key.id)
    await test(peer, {
      onFrame: (take) => void connection.then((accepted) => accepted.onFrame(take)),
      onClose: (tell) => void connection.then((accepted) => accepted.onClose(tell)),
    })
  } finally {
    peer.destroy()
    listener.close()
  }
}
