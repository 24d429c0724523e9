import t from 'tap'
import { createNode } from '../../src/library/developmentNode.ts'
import { type EnteredFunction, ThreadProfiles } from './threadProfiles.ts'
import { BALANCE, CALL, type Entered, enteredOf, inEvery, type Rounds, withoutIdle } from './walks.ts'

const ROUNDS: Rounds = { warmUp: 2, counted: 2 }

t.test('a walk has what every round entered, and not what is entered anyway', (t) => {
  const one = entry('src/a.ts', 'one')
  const two = entry('src/a.ts', 'two')
  const same = entry('src/a.ts', 'one', 9)
  const outside = entry('test/b.ts', 'three')
  const rounds: Entered[] = [
    new Map([
      ['main', [one, one, two, same, outside]],
      ['worker', [two]],
    ]),
    new Map([
      ['main', [same, one, outside]],
      ['worker', []],
    ]),
  ]
  t.same(
    [...inEvery(rounds)],
    [
      ['main', [one, same]],
      ['worker', []],
    ],
  )
  const idle: Entered = new Map([['main', [same]]])
  t.same([...withoutIdle(inEvery(rounds), idle)], [['main', [one]]])
  t.end()
})

t.test('a balance stays in the front thread, a call with a gas limit goes through a worker', async (t) => {
  const profiles = new ThreadProfiles(new URL('../../', import.meta.url).href)
  await profiles.open()
  const node = await createNode({ network: 'regtest' })
  t.teardown(async () => {
    await node.stop()
    profiles.close()
  })
  const balance = await enteredOf(BALANCE, node.url, profiles, ROUNDS)
  t.ok(has(balance, 'main', 'src/gateway/gateway.ts', 'handle'), 'the gateway takes the body')
  t.ok(has(balance, 'main', 'src/gateway/fastPath/fastPath.ts', 'answer'), 'the core is asked')
  t.notOk(has(balance, 'worker', 'src/rpc/execute.ts'), 'no worker is')
  const call = await enteredOf(CALL, node.url, profiles, ROUNDS)
  t.ok(has(call, 'main', 'src/gateway/gateway.ts', 'handle'))
  t.ok(has(call, 'worker', 'src/rpc/execute.ts'), 'a worker executes it')
  t.notOk(has(call, 'main', 'src/rpc/execute.ts'))
})

function entry(file: string, name: string, start = 0): EnteredFunction {
  return { file, name, start }
}

function has(entered: Entered, thread: string, file: string, name?: string): boolean {
  const found = entered.get(thread) ?? []
  return found.some((one) => one.file === file && (name === undefined || one.name === name))
}
