import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { HeadChange } from '../../../src/chain/chainWriter.ts'
import type { Block } from '../../../src/chain/codec/block.ts'
import { MAX_CATCH_UP_EVENTS } from '../../../src/filters/catchUps.ts'
import type { EventConnection } from '../../../src/filters/eventConnection.ts'
import { SubscriptionHub } from '../../../src/filters/subscriptionHub.ts'
import { EVENT_TEXTS } from '../../../src/rpc/format/eventTexts.ts'
import { resumePoint } from '../../../src/rpc/logs/resumePoint.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { SyntheticChain, testAddress, testLog } from '../../support/syntheticChain.ts'

/** A hub over a synthetic chain whose notices a test delivers when it likes. */
function openHub(t: Test) {
  const chain = new SyntheticChain(t)
  const context = chain.context()
  const takeSnapshot = () => context.refresh()
  const hub = new SubscriptionHub({
    chain: context.chain,
    encodedObjects: context.encodedObjects,
    takeSnapshot,
    events: EVENT_TEXTS,
    mostPerConnection: 1000,
  })
  const notices: HeadChange[] = []
  let head: Block = chain.genesis
  return {
    chain,
    context,
    hub,
    notices,
    head: () => head,
    move: (to: Block) => {
      head = to
      notices.push(chain.moveHead(to))
    },
    tell: () => {
      const notice = notices.shift()
      context.refresh()
      if (notice !== undefined) hub.headChanged(notice)
    },
    resume: (connection: EventConnection, kind: 'logs' | 'newHeads', hash: Buffer) => {
      context.refresh()
      const point = resumePoint(context, hash)
      const topic =
        kind === 'logs' ? { kind, criteria: { addresses: [testAddress(1)], topics: [] } } : { kind }
      return hub.subscribe(connection, topic, point)
    },
  }
}

/** Blocks from one down to genesis, without that. */
function branchOf(blocks: ReadonlyMap<string, Block>, tip: Block): string[] {
  const hashes: string[] = []
  for (let block: Block | undefined = tip; block !== undefined && block.number > 0; ) {
    hashes.push(toHex(block.hash))
    block = blocks.get(toHex(block.header.parentHash))
  }
  return hashes
}

/** Follows logs from what a client had at a block; what does not fit is an error. */
class Follower implements EventConnection {
  readonly state: Set<string>

  constructor(start: readonly string[]) {
    this.state = new Set(start)
  }

  notify(frame: Uint8Array): void {
    const { params } = JSON.parse(Buffer.from(frame).toString()) as {
      params: { result: { removed: boolean; blockHash: string } }
    }
    const { removed, blockHash } = params.result
    const fits = removed ? this.state.delete(blockHash) : !this.state.has(blockHash)
    if (!fits) throw new Error(`${removed ? 'removed' : 'new'} ${blockHash} does not fit`)
    if (!removed) this.state.add(blockHash)
  }
}

class HeadFollower implements EventConnection {
  #at: string
  readonly #blocks: ReadonlyMap<string, Block>

  constructor(start: Block, blocks: ReadonlyMap<string, Block>) {
    this.#at = toHex(start.hash)
    this.#blocks = blocks
  }

  get at(): string {
    return this.#at
  }

  notify(frame: Uint8Array): void {
    const { params } = JSON.parse(Buffer.from(frame).toString()) as {
      params: { result: { hash: string; parentHash: string } }
    }
    const { hash, parentHash } = params.result
    // The parent is the last one, or an ancestor of it after a reorganisation.
    const own = branchOf(this.#blocks, this.#blocks.get(this.#at) as Block)
    const isGenesis = this.#blocks.get(parentHash) === undefined
    if (own.includes(hash) || !(isGenesis || own.includes(parentHash)))
      throw new Error(`${hash} does not fit`)
    this.#at = hash
  }
}

type Step =
  | { readonly kind: 'move'; readonly fork: number; readonly length: number }
  | { readonly kind: 'back'; readonly depth: number }
  | { readonly kind: 'tell' }
  | { readonly kind: 'turn' }
  | { readonly kind: 'resume'; readonly from: number; readonly heads: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('move'), fork: fc.nat(5), length: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('back'), depth: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('tell') }),
  fc.record({ kind: fc.constant('turn') }),
  fc.record({ kind: fc.constant('resume'), from: fc.nat(1000), heads: fc.boolean() }),
)

t.test('who resumes at any block, whenever, has at the end the logs of the canonical chain', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 40 }), async (steps) => {
      const own = openHub(t)
      const blocks = new Map<string, Block>()
      const all: Block[] = []
      const followers: Follower[] = []
      const heads: HeadFollower[] = []
      // A canonical path down to genesis, lowest first.
      const path = () => branchOf(blocks, own.head()).reverse()
      const grow = (fork: number, length: number) => {
        const names = path()
        const parent = blocks.get(names[names.length - 1 - fork] ?? '') ?? own.chain.genesis
        const made = own.chain.extend(
          parent,
          Array.from({ length: Math.max(length, own.head().number - parent.number + 1) }, () => [
            [testLog(1)],
          ]),
        )
        for (const block of made) {
          blocks.set(toHex(block.hash), block)
          all.push(block)
        }
        own.move(made.at(-1) as Block)
      }
      grow(0, 3)
      for (const each of steps) {
        switch (each.kind) {
          case 'move':
            grow(each.fork, each.length)
            break
          case 'back': {
            const names = path()
            own.move(blocks.get(names[names.length - 1 - each.depth] ?? '') ?? own.chain.genesis)
            break
          }
          case 'tell':
            own.tell()
            break
          case 'turn':
            await setImmediate()
            break
          case 'resume': {
            const from = all[each.from % all.length] as Block
            if (each.heads) {
              // Headers do not say that blocks left: a head that notices bring again would look doubled.
              while (own.notices.length > 0) own.tell()
              const follower = new HeadFollower(from, blocks)
              heads.push(follower)
              own.resume(follower, 'newHeads', from.hash)
            } else {
              const follower = new Follower(branchOf(blocks, from))
              followers.push(follower)
              own.resume(follower, 'logs', from.hash)
            }
          }
        }
      }
      while (own.notices.length > 0) own.tell()
      for (let turn = 0; turn < 50; turn += 1) await setImmediate()
      // Whoever has caught up is live: one more block reaches everybody.
      grow(0, 1)
      own.tell()
      const expected = path().sort()
      for (const { state } of followers) {
        if (JSON.stringify([...state].sort()) !== JSON.stringify(expected)) return false
      }
      return heads.every(({ at }) => at === toHex(own.head().hash))
    }),
    { numRuns: 50 },
  )
})

t.test('nothing comes before the answer, and nothing more while the client does not read', async (t) => {
  const own = openHub(t)
  own.chain.append(Array.from({ length: 200 }, () => [[testLog(1, [], 'ab'.repeat(20_000))]]))
  let sent = 0
  let waiting = 0
  let onRead: (() => void)[] = []
  const connection: EventConnection = {
    notify: (frame) => {
      sent += 1
      waiting += frame.byteLength
    },
    get waiting() {
      return waiting
    },
    whenRead: (action) => onRead.push(action),
  }
  const handle = own.resume(connection, 'logs', own.chain.genesis.hash) ?? ''
  t.equal(sent, 0)
  for (let turn = 0; turn < 300; turn += 1) await setImmediate()
  t.ok(sent > 0 && sent < 12, `${sent} logs of 40 kB each wait`)
  t.equal(onRead.length, 1)
  const stalled = sent
  for (let rounds = 0; sent < 200; rounds += 1) {
    waiting = 0
    const actions = onRead
    onRead = []
    for (const action of actions) action()
    await setImmediate()
    if (rounds > 1000) break
  }
  t.ok(stalled < sent)
  t.equal(sent, 200)
  t.equal(own.hub.unsubscribe(connection, handle), true)
  t.equal(own.hub.size, 0)
})

t.test('an unsubscribed or closed one is told nothing more', async (t) => {
  const own = openHub(t)
  own.chain.append(Array.from({ length: 3 }, () => [[testLog(1)]]))
  const silent: EventConnection = { notify: () => t.fail('told') }
  const handle = own.resume(silent, 'logs', own.chain.genesis.hash) ?? ''
  own.resume(silent, 'newHeads', own.chain.genesis.hash)
  t.equal(own.hub.unsubscribe(silent, handle), true)
  own.hub.drop(silent)
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  t.equal(own.hub.size, 0)
})

t.test('a block too far away, and one that nobody knows, are errors', async (t) => {
  const own = openHub(t)
  own.chain.append(Array.from({ length: MAX_CATCH_UP_EVENTS + 1 }, () => []))
  const connection: EventConnection = { notify: () => undefined }
  const resume = (hash: Buffer) => own.resume(connection, 'newHeads', hash)
  t.throws(() => resume(own.chain.genesis.hash), { message: /more than 2000 blocks/ })
  t.throws(() => resume(Buffer.alloc(32, 7)), { message: /^unknown block/ })
  const first = own.chain.reader.hashByNumber(1)
  t.type(resume(first ?? Buffer.alloc(0)), 'string')
  own.hub.drop(connection)
})

t.test('a block that is gone in the middle ends the connection instead of leaving a gap', async (t) => {
  const own = openHub(t)
  own.chain.append(Array.from({ length: 3 }, () => [[testLog(1)]]))
  const { context } = own
  const storedHeader = context.chain.storedHeader.bind(context.chain)
  const ended: [number, string][] = []
  own.resume(
    { notify: () => undefined, end: (code, reason) => ended.push([code, reason]) },
    'logs',
    own.chain.genesis.hash,
  )
  context.chain.storedHeader = (hash) => (storedHeader(hash)?.number === 2 ? null : storedHeader(hash))
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  t.same(ended, [[1011, 'blocks since fromBlock are gone']])
})
