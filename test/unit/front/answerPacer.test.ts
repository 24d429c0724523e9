import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { AnswerPacer, PIECE_BYTES, type Sending } from '../../../src/front/answerPacer.ts'

/** Pieces that one turn hands over, and that an client has at once while others ask. */
const PIECES = 4
/** Pieces of 64 KiB in a millisecond of 64 MiB a second, rounded up. */
const PIECES_PER_MILLISECOND = 1.1

function open(t: Test): AnswerPacer {
  const turns = new AnswerPacer()
  t.teardown(() => turns.close())
  return turns
}

/** An answer of so many pieces, all of which its client takes at once. */
class Pieces implements Sending {
  isDue = false
  readonly client: object
  readonly log: string[]
  readonly name: string
  left: number

  constructor(client: object, left: number, name = '', log: string[] = []) {
    this.client = client
    this.left = left
    this.name = name
    this.log = log
  }

  send(): boolean {
    this.left -= 1
    this.log.push(this.name)
    return this.left > 0
  }
}

t.test('answers take turns, a few pieces of all of them in each turn of the event loop', async (t) => {
  const turns = open(t)
  const log: string[] = []
  const client = {}
  for (const name of ['a', 'b']) turns.add(new Pieces(client, 5, name, log))
  await nextTurn()
  t.equal(log.join(''), 'abab')
  while (log.length < 10) await nextTurn()
  t.equal(log.join(''), 'ababababab')
})

t.test('an client that nobody else asks beside gets all of every turn', async (t) => {
  const turns = open(t)
  const client = {}
  turns.asked(client)
  const sending = new Pieces(client, 1000)
  turns.add(sending)
  for (let turn = 1; turn <= 100; turn += 1) {
    await nextTurn()
    t.equal(1000 - sending.left, turn * PIECES)
  }
})

t.test('beside another that asks it gets so much a second, and all of it in the end', async (t) => {
  const turns = open(t)
  const [many, other] = [{}, {}]
  turns.asked(other)
  turns.asked(many)
  const began = performance.now()
  const sending = new Pieces(many, 60)
  turns.add(sending)
  while (sending.left > 0) {
    await nextTurn()
    const most = PIECES + Math.ceil((performance.now() - began) * PIECES_PER_MILLISECOND)
    if (60 - sending.left > most) t.fail(`${60 - sending.left} pieces, at most ${most}`)
    await sleep(1)
  }
  t.equal(sending.left, 0)
})

t.test('one who waits for its allowance keeps nobody else waiting', async (t) => {
  const turns = open(t)
  const [many, other] = [{}, {}]
  const log: string[] = []
  turns.asked(many)
  turns.asked(other)
  turns.add(new Pieces(many, 200, 'm', log))
  await nextTurn()
  turns.add(new Pieces(other, PIECES, 'o', log))
  while (log.filter((name) => name === 'o').length < PIECES) await nextTurn()
  t.ok(log.length < 200, 'the other has all of its answer before')
})

t.test('memory of pieces is used again when it is given back', (t) => {
  const turns = open(t)
  const bytes = Buffer.alloc(2 * PIECE_BYTES + 5, 7)
  const first = turns.copy(bytes)
  t.same(Buffer.concat(first), bytes)
  const blocks = new Set(first.map(({ buffer }) => buffer))
  for (const piece of first) turns.giveBack(piece)
  const again = turns.copy(Buffer.alloc(3 * PIECE_BYTES, 9))
  t.ok(again.every(({ buffer, length }) => blocks.has(buffer) && length === PIECE_BYTES))
  t.end()
})
