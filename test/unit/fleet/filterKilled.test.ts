import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { FilterOrder, Hang } from '../../support/fleet/filterMain.ts'

const MAIN = fileURLToPath(new URL('../../support/fleet/filterMain.ts', import.meta.url))

/** A process with filters, which can be killed at any point of a poll. */
class FilterProcess {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(dataDir: string): Promise<FilterProcess> {
    const child = fork(MAIN, [dataDir])
    await once(child, 'message')
    return new FilterProcess(child)
  }

  async ask<T>(order: FilterOrder): Promise<T> {
    const answer = once(this.#child, 'message')
    this.#child.send(order)
    const [value] = (await answer) as [T]
    return value
  }

  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }
}

function follow(state: readonly string[], news: readonly string[]): readonly string[] {
  const next = [...state]
  for (const each of news) {
    const name = each.slice(1)
    const fits = each.startsWith('-') ? next.pop() === name : !next.includes(name)
    if (!fits) throw new Error(`${each} does not fit`)
    if (each.startsWith('+')) next.push(name)
  }
  return next
}

t.test(
  'a process that is killed around the commit of a poll goes on without a gap and tells nothing twice',
  async (t) => {
    const dataDir = t.testdir({})
    const changes: [number, number][] = [[0, 3]]
    let process = await FilterProcess.start(dataDir)
    await process.ask({ kind: 'change', changes })
    const id = await process.ask<string>({ kind: 'install' })
    let state = await process.ask<readonly string[]>({ kind: 'change', changes: [] })
    for (const hang of ['before', 'after', null, 'after', 'before'] as const) {
      const change: [number, number] = [1, 3]
      changes.push(change)
      const truth = await process.ask<readonly string[]>({ kind: 'change', changes: [change] })
      const answer = await process.ask<readonly string[] | 'hangs'>({ kind: 'poll', id, hang })
      if (answer === 'hangs') t.not(hang, null)
      else state = follow(state, answer)
      // The client was not answered; what was committed counts as told.
      if (hang === 'after') state = truth
      await process.kill()
      process = await FilterProcess.start(dataDir)
      await process.ask({ kind: 'change', changes })
      const rest = await process.ask<readonly string[]>({ kind: 'poll', id, hang: null })
      t.same(rest.length, hang === 'before' ? 4 : 0, `killed ${hang ?? 'behind the answer'}`)
      state = follow(state, rest)
      t.same(state, truth)
    }
    await process.kill()
  },
)

t.test('whoever is killed while a filter changes hands, it never has two owners', async (t) => {
  const folder = t.testdir({ giver: {}, taker: {} })
  const open = (name: string) => FilterProcess.start(`${folder}/${name}`)
  let [giver, taker] = await Promise.all([open('giver'), open('taker')])
  const owners = async (id: string) => {
    const polls = await Promise.all([giver, taker].map((one) => one.ask({ kind: 'poll', id, hang: null })))
    return polls.map((poll) => poll !== 'gone')
  }
  const ways: readonly (readonly [giver: Hang, taker: Hang, owners: readonly boolean[]])[] = [
    ['before', null, [true, false]],
    ['after', null, [false, false]],
    [null, 'before', [false, false]],
    [null, 'after', [false, true]],
    [null, null, [false, true]],
  ]
  for (const [atGiver, atTaker, owned] of ways) {
    const id = await giver.ask<string>({ kind: 'install' })
    const rows = await giver.ask<string>({ kind: 'handOut', hang: atGiver })
    t.equal(rows === 'hangs', atGiver !== null)
    if (rows !== 'hangs')
      t.equal(await taker.ask({ kind: 'adopt', rows, hang: atTaker }), atTaker === null || 'hangs')
    if (atGiver !== null) {
      await giver.kill()
      giver = await open('giver')
    }
    if (atTaker !== null) {
      await taker.kill()
      taker = await open('taker')
    }
    t.same(await owners(id), owned, `giver killed ${atGiver}, taker killed ${atTaker}`)
  }
  await Promise.all([giver.kill(), taker.kill()])
})
