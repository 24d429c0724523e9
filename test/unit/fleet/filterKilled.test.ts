import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { FilterOrder } from '../../support/fleet/filterMain.ts'

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
