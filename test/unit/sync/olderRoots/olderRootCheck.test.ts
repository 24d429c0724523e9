import t from 'tap'
import type { OlderRootDifference } from '../../../../src/chain/olderRoots.ts'
import type { StateStore } from '../../../../src/native/stateStore.ts'
import { createOlderRootCheck, type OlderRootReader } from '../../../../src/sync/olderRoots/olderRootCheck.ts'
import type { TipChange } from '../../../../src/sync/syncChain.ts'
import { makeOlderRootChain, mistakeStates, OLDER_ROOT_SPEC } from '../../../support/olderRootChain.ts'

interface Entry {
  readonly level: string
  readonly number: number
}

/** Entries of the log in their order, and waiting for one of a height. */
class Entries {
  readonly all: Entry[] = []
  readonly #waiting = new Map<number, () => void>()

  readonly log = {
    info: (metadata: object) => this.#add('info', metadata),
    warn: (metadata: object) => this.#add('warn', metadata),
    error: (metadata: object) => this.#add('error', metadata),
  }

  async until(number: number): Promise<void> {
    if (this.all.some((entry) => entry.number === number)) return
    await new Promise<void>((resolve) => this.#waiting.set(number, resolve))
  }

  #add(level: string, metadata: object): void {
    const { number } = metadata as { number: number }
    this.all.push({ level, number })
    this.#waiting.get(number)?.()
  }
}

/** The chain as it is when its head is at a height. */
function upTo(reader: OlderRootReader, head: () => number): OlderRootReader {
  return {
    head: () => ({ number: head() }),
    history: () => reader.history(),
    headerByNumber: (number) => reader.headerByNumber(number),
    hashByNumber: (number) => reader.hashByNumber(number),
  }
}

function change(number: number, lowest = number): TipChange {
  const hash = Buffer.alloc(32)
  return {
    tip: { number, hash, parentHash: hash, totalDifficulty: 0n },
    enacted: [{ number: lowest, hash }],
  }
}

t.test('heights are compared in order, one at a time, and a difference that binds ends it', async (t) => {
  const open = await makeOlderRootChain(t)
  mistakeStates(open, 19)
  const entries = new Entries()
  const differences: OlderRootDifference[] = []
  let under = 0
  let most = 0
  const stateStore: Pick<StateStore, 'rootFor' | 'orchidStateRoot'> = {
    rootFor: (hash) => open.stateStore.rootFor(hash),
    orchidStateRoot: async (root, signal) => {
      under += 1
      most = Math.max(most, under)
      try {
        return await open.stateStore.orchidStateRoot(root, signal)
      } finally {
        under -= 1
      }
    },
  }
  const check = createOlderRootCheck({
    spec: OLDER_ROOT_SPEC,
    reader: upTo(open.chain.reader, () => 2),
    stateStore,
    interval: 7,
    log: entries.log as never,
    onDifference: (difference) => differences.push(difference),
  })
  t.same(entries.all, [], 'nothing is due')
  for (const number of [5, 11, 35]) check.onTip(change(number))
  await entries.until(24)
  check.onTip(change(36))
  await check.close()
  t.same(entries.all, [
    { level: 'info', number: 3 },
    { level: 'info', number: 10 },
    { level: 'info', number: 17 },
    { level: 'error', number: 24 },
  ])
  t.equal(most, 1)
  const header = open.chain.reader.headerByNumber(24)
  t.match(differences, [{ number: 24, hash: header?.hash, expected: header?.fields.stateRoot }])
  t.equal(differences.length, 1)
})

t.test('below RSKIP85 a difference is only logged', async (t) => {
  const open = await makeOlderRootChain(t)
  const below = open.chain.reader.hashByNumber(3)
  if (below === null) throw new Error('no block 3')
  open.stateStore.putRoot(below, open.chain.head.fields.stateRoot)
  const entries = new Entries()
  const check = createOlderRootCheck({
    spec: OLDER_ROOT_SPEC,
    reader: upTo(open.chain.reader, () => 0),
    stateStore: open.stateStore,
    interval: 7,
    log: entries.log as never,
    onDifference: () => t.fail('it does not bind'),
  })
  check.onTip(change(12))
  await entries.until(10)
  await check.close()
  t.same(entries.all, [
    { level: 'warn', number: 3 },
    { level: 'info', number: 10 },
  ])
})

t.test(
  'it begins with the newest height that is due, and compares again what another branch replaces',
  async (t) => {
    const open = await makeOlderRootChain(t)
    const { reader } = open.chain
    const entries = new Entries()
    let asked = 0
    const check = createOlderRootCheck({
      spec: OLDER_ROOT_SPEC,
      reader: {
        ...upTo(reader, () => 20),
        // The first time the block is another one once its state was read.
        hashByNumber: (number) => (++asked === 1 ? Buffer.alloc(32) : reader.hashByNumber(number)),
      },
      stateStore: open.stateStore,
      interval: 7,
      log: entries.log as never,
      onDifference: () => t.fail('nothing differs'),
    })
    await entries.until(17)
    t.equal(asked, 2)
    check.onTip(change(21, 15))
    check.onTip(change(25, 22))
    await entries.until(24)
    await check.close()
    t.same(
      entries.all.map(({ number }) => number),
      [17, 17, 24],
    )
  },
)

t.test('a state that cannot be read is passed by, and closing ends a reading', async (t) => {
  const open = await makeOlderRootChain(t)
  const lost = open.chain.reader.hashByNumber(10)
  if (lost === null) throw new Error('no block 10')
  open.stateStore.putRoot(lost, Buffer.alloc(32, 9))
  const entries = new Entries()
  const waits: (() => void)[] = []
  let reading: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    reading = resolve
  })
  const check = createOlderRootCheck({
    spec: OLDER_ROOT_SPEC,
    reader: upTo(open.chain.reader, () => 10),
    stateStore: {
      rootFor: (hash) => open.stateStore.rootFor(hash),
      orchidStateRoot: (root, signal) => {
        if (Buffer.from(root).equals(Buffer.alloc(32, 9)))
          return open.stateStore.orchidStateRoot(root, signal)
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(null))
          waits.push(() => undefined)
          reading()
        })
      },
    },
    interval: 7,
    log: entries.log as never,
    onDifference: () => t.fail('nothing differs'),
  })
  await entries.until(10)
  check.onTip(change(18))
  await begun
  await check.close()
  t.same(entries.all, [{ level: 'error', number: 10 }])
  check.onTip(change(30))
  t.equal(waits.length, 1, 'nothing begins after the end')
})
